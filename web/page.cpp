// SPDX-License-Identifier: MIT
#include "web/page.hpp"

#include "web/payload.hpp"

namespace vbo::web {

// Written by bundle.py: the document, deflated, and the hashes of its script and style.
extern const unsigned char kPage[];
extern const unsigned kPageSize;
extern const char kScriptHash[];
extern const char kStyleHash[];

namespace {

constexpr std::string_view kPolicySlot = "<!--policy-->";
constexpr std::string_view kDataSlot = "<!--data-->";

const std::string& document() {
  static const std::string text =
      inflated({reinterpret_cast<const char*>(kPage), kPageSize}).value();
  return text;
}

// Nothing but our own code and styles runs; nothing is loaded from anywhere. `connect` is where
// the code may fetch data from.
std::string policy(const std::string& connect) {
  return "default-src 'none'; script-src '" + std::string(kScriptHash) + "'; style-src '" +
         kStyleHash + "'; img-src data: blob:; connect-src " + connect +
         "; base-uri 'none'; form-action 'none'";
}

std::string filled(std::string_view head, std::string_view data) {
  const std::string& text = document();
  const std::size_t policy_at = text.find(kPolicySlot), data_at = text.find(kDataSlot);
  std::string out = text.substr(0, policy_at);
  out += head;
  out += std::string_view(text).substr(policy_at + kPolicySlot.size(),
                                       data_at - policy_at - kPolicySlot.size());
  out += data;
  out += std::string_view(text).substr(data_at + kDataSlot.size());
  return out;
}

}  // namespace

const std::string& live_page() {
  static const std::string page = filled("", "");
  return page;
}

const std::string& live_policy() {
  static const std::string text = policy("'self'") + "; frame-ancestors 'none'";
  return text;
}

std::string report_page(const std::vector<std::string>& payloads) {
  std::string data;
  for (const std::string& payload : payloads) {
    // Base64 has no character that could end the element.
    data += "<script type=\"application/x-vbo-study\">" + base64(deflated(payload)) + "</script>\n";
  }
  return filled(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy("'none'") + "\">", data);
}

}  // namespace vbo::web
