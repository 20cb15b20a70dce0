// SPDX-License-Identifier: MIT
#include "core/expression.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/spelling.hpp"
#include "core/tokens.hpp"

namespace vbo {
namespace {

using constraint::fail;
using constraint::Fault;
using constraint::Token;
using constraint::tokens_of;
using Kind = Expression::Kind;
using Node = Expression::Node;

// Of these bytes at most every second one makes a node, and no walk over the tree is deeper than it
// has nodes: a chain like a + b + c leans to the left.
constexpr std::size_t kLongestText = 4096;
constexpr int kDeepest = 64;  // levels of brackets, signs and powers, each of which is a call here

bool is_comparison(const Token& token) {
  if (token.type != Token::Type::symbol) return false;
  const std::string& t = token.text;
  return t == "<=" || t == "<" || t == ">=" || t == ">" || t == "==" || t == "=" || t == "!=";
}

std::optional<double> number_of_choice(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

}  // namespace

// Recursive descent. What an operand is (number, condition, choice) is known as it is read.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const Parameter> parameters)
      : tokens_(tokens_of(text)), parameters_(parameters) {}

  Expression parse() {
    const Operand all = either(0);
    if (peek().type != Token::Type::end)
      fail(peek().column, "found " + shown(peek()) + " after the end");
    made_.root_ = condition(all);
    std::sort(made_.used_.begin(), made_.used_.end());
    made_.used_.erase(std::unique(made_.used_.begin(), made_.used_.end()), made_.used_.end());
    find_equality();
    return std::move(made_);
  }

 private:
  enum class Type { number, condition, choice, text, flag };
  struct Operand {
    Type type = Type::number;
    int node = -1;              // number, condition
    std::size_t parameter = 0;  // choice: a parameter with choices that are not all numbers
    std::string text;           // text
    bool flag = false;          // true and false
    std::size_t column = 1;
  };

  const Token& peek() const { return tokens_[at_]; }
  bool is_word(const char* word) const {
    return peek().type == Token::Type::word && peek().text == word;
  }
  bool is_symbol(const char* symbol) const {
    return peek().type == Token::Type::symbol && peek().text == symbol;
  }
  Token take() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  static std::string shown(const Token& token) {
    return token.type == Token::Type::end ? "the end" : "\"" + token.text + "\"";
  }

  int add(Node node) {
    made_.nodes_.push_back(std::move(node));
    return static_cast<int>(made_.nodes_.size()) - 1;
  }
  int add(Kind kind, int left, int right = -1) {
    return add(Node{.kind = kind, .left = left, .right = right});
  }

  int number(const Operand& operand) {
    if (operand.type == Type::number) return operand.node;
    if (operand.type == Type::choice) {
      fail(operand.column, "found " + name_of(operand.parameter) +
                               ", whose choices are not all numbers, expected a number");
    }
    fail(operand.column, operand.type == Type::condition ? "found a condition, expected a number"
                                                         : "found a choice, expected a number");
  }

  int condition(const Operand& operand) {
    if (operand.type == Type::condition) return operand.node;
    if (operand.type == Type::flag) return add(operand.flag ? Kind::always : Kind::never, -1);
    if (operand.type == Type::choice) {
      // A parameter of true and false is a condition.
      const Operand yes{.type = Type::flag, .flag = true, .column = operand.column};
      if (index_of(operand.parameter, yes)) return equals(operand, yes, Kind::is_choice);
    }
    fail(operand.column, operand.type == Type::number
                             ? "found a number, expected a comparison as in x + y <= 1"
                             : "found a choice, expected a comparison as in solver == \"adam\"");
  }

  std::string name_of(std::size_t parameter) const {
    return "\"" + parameters_[parameter].name + "\"";
  }

  std::optional<std::size_t> index_of(std::size_t parameter, const Operand& literal) const {
    const std::vector<Value>& choices = parameters_[parameter].choices;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const auto* text = std::get_if<std::string>(&choices[i]);
      const auto* flag = std::get_if<bool>(&choices[i]);
      const auto value = number_of_choice(choices[i]);
      if (literal.type == Type::text && text && *text == literal.text) return i;
      if (literal.type == Type::flag && flag && *flag == literal.flag) return i;
      if (literal.type == Type::number && value && literal.node >= 0 &&
          made_.nodes_[static_cast<std::size_t>(literal.node)].kind == Kind::number &&
          made_.nodes_[static_cast<std::size_t>(literal.node)].value == *value) {
        return i;
      }
    }
    return std::nullopt;
  }

  int equals(const Operand& choice, const Operand& literal, Kind kind) {
    if (literal.type == Type::choice || literal.type == Type::condition) {
      fail(literal.column, "expected one of the choices of " + name_of(choice.parameter));
    }
    const auto index = index_of(choice.parameter, literal);
    if (!index) {
      std::vector<std::string> choices;
      for (const Value& value : parameters_[choice.parameter].choices)
        choices.push_back(to_string(value));
      fail(literal.column, name_of(choice.parameter) + " has no such choice" +
                               suggestion(literal.type == Type::text ? literal.text : "", choices));
    }
    return add(
        Node{.kind = kind, .value = static_cast<double>(*index), .parameter = choice.parameter});
  }

  int compare(const Operand& left, const Token& op, const Operand& right) {
    const bool equality = op.text == "==" || op.text == "=" || op.text == "!=";
    const auto is_literal = [](const Operand& o) {
      return o.type == Type::text || o.type == Type::flag;
    };
    if (equality && (left.type == Type::choice || right.type == Type::choice)) {
      const Kind kind = op.text == "!=" ? Kind::is_not_choice : Kind::is_choice;
      return left.type == Type::choice ? equals(left, right, kind) : equals(right, left, kind);
    }
    if (is_literal(left) || is_literal(right)) {
      fail(op.column,
           "found " + shown(op) + " beside a text, expected == or != and a parameter with choices");
    }
    const int a = number(left), b = number(right);
    if (op.text == "<=") return add(Kind::less_equal, a, b);
    if (op.text == "<") return add(Kind::less, a, b);
    if (op.text == ">=") return add(Kind::less_equal, b, a);
    if (op.text == ">") return add(Kind::less, b, a);
    return add(op.text == "!=" ? Kind::unequal : Kind::equal, a, b);
  }

  // not moves down to the comparisons, so that every node can tell by how much it is violated.
  int negated(int node) {
    const Node n = made_.nodes_[static_cast<std::size_t>(node)];
    switch (n.kind) {
      case Kind::less_equal:
        return add(Kind::less, n.right, n.left);
      case Kind::less:
        return add(Kind::less_equal, n.right, n.left);
      case Kind::equal:
        return add(Kind::unequal, n.left, n.right);
      case Kind::unequal:
        return add(Kind::equal, n.left, n.right);
      case Kind::both:
      case Kind::either: {
        const int left = negated(n.left);
        const int right = negated(n.right);
        return add(n.kind == Kind::both ? Kind::either : Kind::both, left, right);
      }
      case Kind::always:
        return add(Kind::never, -1);
      case Kind::never:
        return add(Kind::always, -1);
      default: {
        Node other = n;
        other.kind = n.kind == Kind::is_choice ? Kind::is_not_choice : Kind::is_choice;
        return add(std::move(other));
      }
    }
  }

  void check_depth(int depth) const {
    if (depth > kDeepest) {
      fail(peek().column, "nested deeper than " + std::to_string(kDeepest) + " levels");
    }
  }

  Operand either(int depth) {
    check_depth(depth);
    Operand left = both(depth + 1);
    while (is_word("or")) {
      take();
      const int first = condition(left);
      const int second = condition(both(depth + 1));
      left = {
          .type = Type::condition, .node = add(Kind::either, first, second), .column = left.column};
    }
    return left;
  }

  Operand both(int depth) {
    Operand left = inverse(depth + 1);
    while (is_word("and")) {
      take();
      const int first = condition(left);
      const int second = condition(inverse(depth + 1));
      left = {
          .type = Type::condition, .node = add(Kind::both, first, second), .column = left.column};
    }
    return left;
  }

  Operand inverse(int depth) {
    check_depth(depth);
    if (!is_word("not")) return comparison(depth + 1);
    const std::size_t column = take().column;
    return {
        .type = Type::condition, .node = negated(condition(inverse(depth + 1))), .column = column};
  }

  Operand comparison(int depth) {
    Operand left = sum(depth);
    if (!is_comparison(peek())) return left;
    const std::size_t column = left.column;
    int all = -1;
    while (is_comparison(peek())) {
      const Token op = take();
      Operand right = sum(depth + 1);
      const int link = compare(left, op, right);
      all = all < 0 ? link : add(Kind::both, all, link);
      left = std::move(right);
    }
    return {.type = Type::condition, .node = all, .column = column};
  }

  Operand sum(int depth) {
    Operand left = product(depth + 1);
    while (is_symbol("+") || is_symbol("-")) {
      const Kind kind = take().text == "+" ? Kind::add : Kind::subtract;
      const int first = number(left);
      const int second = number(product(depth + 1));
      left = {.node = add(kind, first, second), .column = left.column};
    }
    return left;
  }

  Operand product(int depth) {
    Operand left = unary(depth + 1);
    while (is_symbol("*") || is_symbol("/")) {
      const Kind kind = take().text == "*" ? Kind::multiply : Kind::divide;
      const int first = number(left);
      const int second = number(unary(depth + 1));
      left = {.node = add(kind, first, second), .column = left.column};
    }
    return left;
  }

  Operand unary(int depth) {
    check_depth(depth);
    if (is_symbol("-")) {
      const std::size_t column = take().column;
      const int node = number(unary(depth + 1));
      Node& held = made_.nodes_[static_cast<std::size_t>(node)];
      if (held.kind == Kind::number) {  // -3 is a number, so that it can be a choice
        held.value = -held.value;
        return {.node = node, .column = column};
      }
      return {.node = add(Kind::negate, node), .column = column};
    }
    if (is_symbol("+")) {
      take();
      return unary(depth + 1);
    }
    Operand base = primary(depth + 1);
    if (!is_symbol("^")) return base;
    take();
    const int first = number(base);
    const int second = number(unary(depth + 1));
    return {.node = add(Kind::power, first, second), .column = base.column};
  }

  Operand primary(int depth) {
    check_depth(depth);
    const Token token = take();
    switch (token.type) {
      case Token::Type::number:
        return {.node = add(Node{.kind = Kind::number, .value = token.number}),
                .column = token.column};
      case Token::Type::text:
        return {.type = Type::text, .text = token.text, .column = token.column};
      case Token::Type::name:
        return parameter(token);
      case Token::Type::word:
        return word(token, depth);
      case Token::Type::symbol:
        if (token.text == "(") {
          Operand inside = either(depth + 1);
          expect(")");
          return inside;
        }
        break;
      case Token::Type::end:
        break;
    }
    fail(token.column, "found " + shown(token) + ", expected a number, a parameter or (");
  }

  void expect(const char* symbol) {
    if (!is_symbol(symbol)) fail(peek().column, "found " + shown(peek()) + ", expected " + symbol);
    take();
  }

  Operand word(const Token& token, int depth) {
    if (is_symbol("(")) return function(token, depth);
    const bool known = std::any_of(parameters_.begin(), parameters_.end(),
                                   [&](const Parameter& p) { return p.name == token.text; });
    if (!known && (token.text == "true" || token.text == "false")) {
      return {.type = Type::flag, .flag = token.text == "true", .column = token.column};
    }
    return parameter(token);
  }

  Operand function(const Token& token, int depth) {
    static constexpr std::pair<const char*, Kind> functions[] = {
        {"min", Kind::minimum}, {"max", Kind::maximum},   {"abs", Kind::absolute},
        {"sqrt", Kind::root},   {"log", Kind::logarithm}, {"exp", Kind::exponential}};
    for (const auto& [name, kind] : functions) {
      if (token.text != name) continue;
      take();  // (
      int node = number(either(depth + 1));
      const bool pair = kind == Kind::minimum || kind == Kind::maximum;
      if (!pair) node = add(kind, node);
      if (pair && !is_symbol(","))
        fail(peek().column, "found " + shown(peek()) + ", expected a comma: " + name +
                                " takes at least two numbers");
      for (int terms = 0; pair && is_symbol(","); ++terms) {
        check_depth(depth + terms);
        take();
        const int next = number(either(depth + 1));
        node = add(kind, node, next);
      }
      expect(")");
      return {.node = node, .column = token.column};
    }
    fail(token.column,
         "unknown function \"" + token.text + "\", expected one of min max abs sqrt log exp");
  }

  Operand parameter(const Token& token) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Parameter& p = parameters_[i];
      if (p.name != token.text) continue;
      made_.used_.push_back(i);
      Node node{.kind = Kind::parameter, .parameter = i};
      if (p.has_choices()) {
        for (const Value& choice : p.choices) {
          const auto value = number_of_choice(choice);
          if (!value) return {.type = Type::choice, .parameter = i, .column = token.column};
          node.table.push_back(*value);
        }
      }
      return {.node = add(std::move(node)), .column = token.column};
    }
    std::vector<std::string> names;
    for (const Parameter& p : parameters_) names.push_back(p.name);
    fail(token.column, "unknown parameter \"" + token.text + "\"" + suggestion(token.text, names));
  }

  // An equality of two numbers that a continuous parameter takes part in has measure zero: it has
  // to be the whole constraint, and linear, so that points on it can be constructed.
  void find_equality() {
    const Node& root = made_.nodes_[static_cast<std::size_t>(made_.root_)];
    for (const Node& node : made_.nodes_) {
      if (node.kind != Kind::equal) continue;
      std::optional<LinearForm> form = linear(node.left);
      const std::optional<LinearForm> right = linear(node.right);
      const bool is_linear = form && right;
      if (is_linear) {
        for (std::size_t i = 0; i < parameters_.size(); ++i)
          form->coefficients[i] -= right->coefficients[i];
        form->constant -= right->constant;
      }
      if (&node == &root && is_linear) {
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
          const Parameter& p = parameters_[i];
          made_.tolerance_ += Expression::kEqualWithin * std::abs(form->coefficients[i]) *
                              std::max(std::abs(p.low), std::abs(p.high));
        }
        made_.equality_ = std::move(form);
        return;
      }
      if (touches_continuum(node.left) || touches_continuum(node.right)) {
        fail(1, &node == &root
                    ? "an equality of float parameters has to be linear, as in a + b + c = 1"
                    : "an equality of float parameters has to stand alone, as in a + b + c = 1");
      }
    }
  }

  bool touches_continuum(int index) const {
    if (index < 0) return false;
    const Node& node = made_.nodes_[static_cast<std::size_t>(index)];
    if (node.kind == Kind::parameter) {
      const Parameter& p = parameters_[node.parameter];
      return p.kind == ParameterKind::real && p.step == 0.0 && p.low != p.high;
    }
    return touches_continuum(node.left) || touches_continuum(node.right);
  }

  std::optional<LinearForm> linear(int index) const {
    const Node& node = made_.nodes_[static_cast<std::size_t>(index)];
    LinearForm form;
    form.coefficients.assign(parameters_.size(), 0.0);
    if (node.kind == Kind::number) {
      form.constant = node.value;
      return form;
    }
    if (node.kind == Kind::parameter) {
      if (!node.table.empty()) return std::nullopt;
      form.coefficients[node.parameter] = 1.0;
      return form;
    }
    const bool arithmetic = node.kind == Kind::add || node.kind == Kind::subtract ||
                            node.kind == Kind::multiply || node.kind == Kind::divide ||
                            node.kind == Kind::negate;
    if (!arithmetic) return std::nullopt;
    const std::optional<LinearForm> left = linear(node.left);
    if (!left) return std::nullopt;
    const auto combined = [&](double a, const LinearForm& x, double b, const LinearForm& y) {
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        form.coefficients[i] = a * x.coefficients[i] + b * y.coefficients[i];
      }
      form.constant = a * x.constant + b * y.constant;
      return form;
    };
    if (node.kind == Kind::negate) return combined(-1.0, *left, 0.0, *left);
    const std::optional<LinearForm> right = linear(node.right);
    if (!right) return std::nullopt;
    const auto is_constant = [](const LinearForm& f) {
      return std::all_of(f.coefficients.begin(), f.coefficients.end(),
                         [](double c) { return c == 0.0; });
    };
    if (node.kind == Kind::add) return combined(1.0, *left, 1.0, *right);
    if (node.kind == Kind::subtract) return combined(1.0, *left, -1.0, *right);
    if (node.kind == Kind::divide) {
      if (!is_constant(*right) || right->constant == 0.0) return std::nullopt;
      return combined(1.0 / right->constant, *left, 0.0, *left);
    }
    if (is_constant(*right)) return combined(right->constant, *left, 0.0, *left);
    if (is_constant(*left)) return combined(left->constant, *right, 0.0, *right);
    return std::nullopt;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::span<const Parameter> parameters_;
  Expression made_;
};

Result<Expression> Expression::parse(std::string_view text, std::span<const Parameter> parameters) {
  if (text.size() > kLongestText) {
    return Error{ErrorKind::invalid_input, "column 1: found " + std::to_string(text.size()) +
                                               " characters, expected at most " +
                                               std::to_string(kLongestText)};
  }
  try {
    return ExpressionParser(text, parameters).parse();
  } catch (const Fault& fault) {
    return fault.error;
  }
}

}  // namespace vbo
