// SPDX-License-Identifier: MIT
// Methods maximize; people look at what they minimize in their own sign. Study turns what a method
// says here, and nobody else has to think of it: values of the objective are negated, and with them
// an acquisition in their unit and all its parts; spreads, nats and scores are not.
#pragma once

#include "vbo/ledger.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/trial.hpp"

namespace vbo {

void to_users_sign(Goal goal, const Ledger& ledger, Rationale& rationale);
void to_users_sign(Goal goal, const Ledger& ledger, AskReport& report);

}  // namespace vbo
