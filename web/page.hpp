// SPDX-License-Identifier: MIT
// The page: one HTML document with its styles, its code and D3 inside, made at build time by
// bundle.py. Empty it is what `vbo serve` sends; with payloads in it, it is a report.html.
#pragma once

#include <string>
#include <vector>

namespace vbo::web {

// What the server sends, and the Content-Security-Policy that belongs to it.
const std::string& live_page();
const std::string& live_policy();

// A document that needs no network. Each payload as payload_of() made it.
std::string report_page(const std::vector<std::string>& payloads);

}  // namespace vbo::web
