// SPDX-License-Identifier: MIT
#include "core/one_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "vbo/random.hpp"

namespace vbo {
namespace {

TEST(OneLine, PlainTextsStayAsTheyAre) {
  for (const char* text : {"", "found 3, expected a text", "größer als 日本 ≤ 𝄞", "a  b"}) {
    EXPECT_EQ(one_line(text), text);
  }
}

TEST(OneLine, BreaksAndControlCharacters) {
  EXPECT_EQ(one_line("a\nb\r\nc\td"), "a b  c d");
  EXPECT_EQ(one_line(std::string_view("a\0b\x1b[31m\x7f", 9)), "a\\x00b\\x1b[31m\\x7f");
  EXPECT_EQ(one_line("a\xc2\x9b"
                     "1m\xe2\x80\xa8z"),
            "a\\xc2\\x9b1m\\xe2\\x80\\xa8z");
}

TEST(OneLine, WhatIsNotUtf8IsSpelled) {
  EXPECT_EQ(one_line("\xff\xc0\x80\xed\xa0\x80\xe2\x82"),
            "\\xff\\xc0\\x80\\xed\\xa0\\x80\\xe2\\x82");
}

TEST(OneLine, LongWordsAndLongMessagesKeepTheirEnds) {
  const std::string word = one_line("found \"" + std::string(100000, 'a') + "z\", expected b");
  EXPECT_LT(word.size(), 250U);
  EXPECT_TRUE(word.starts_with("found \"aaa"));
  EXPECT_TRUE(word.ends_with("az\", expected b"));
  std::string many = "first";
  for (int i = 0; i < 100000; ++i) many += " name";
  const std::string message = one_line(many + " last");
  EXPECT_LT(message.size(), 4010U);
  EXPECT_TRUE(message.starts_with("first name"));
  EXPECT_TRUE(message.ends_with("name last"));
}

TEST(OneLine, AnyBytesGiveOneLineThatStaysTheSame) {
  Rng rng(5);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(static_cast<std::size_t>(rng.below(400)), ' ');
    for (char& c : bytes) c = static_cast<char>(rng.below(rng.below(2) ? 256 : 64));
    const std::string line = one_line(bytes);
    EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) {
      return static_cast<unsigned char>(c) >= 0x20U && c != '\x7f';
    }));
    EXPECT_EQ(one_line(line), line);
  }
}

}  // namespace
}  // namespace vbo
