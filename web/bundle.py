# SPDX-License-Identifier: MIT
"""Makes one HTML document of page.html, style.css, the modules in js/ and D3, and writes it as a C++ source.

    bundle.py OUTPUT.cpp D3_FOLDER

The modules are plain ES modules, so that tests can import them one by one. Here their import lines and the word
`export` go, and they stand one after the other in one function, in the order in which they need each other.
Names are therefore unique over all modules; a second one is an error.
"""
import base64
import hashlib
import pathlib
import re
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
D3 = ["array", "collection", "color", "format", "interpolate", "time", "time-format", "scale", "axis", "selection",
      "dispatch", "timer", "ease", "transition", "drag", "brush"]
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+)\.js";\n', re.M)
TOP = re.compile(r"^(?:export )?(?:async )?(?:const|let|function|class) ([A-Za-z_$][\w$]*)", re.M)


def modules():
    """All modules, each after those it imports."""
    ordered, visiting = [], []

    def visit(name):
        if name in ordered:
            return
        if name in visiting:
            sys.exit(f"bundle: modules import each other in a circle: {' -> '.join([*visiting, name])}")
        visiting.append(name)
        for needed in IMPORT.findall((HERE / "js" / f"{name}.js").read_text()):
            visit(needed)
        visiting.pop()
        ordered.append(name)

    visit("main")
    return ordered


def script():
    parts, owner = [], {}
    for name in modules():
        text = (HERE / "js" / f"{name}.js").read_text()
        for found in TOP.findall(text):
            if found in owner:
                sys.exit(f"bundle: {found} is in js/{owner[found]}.js and in js/{name}.js")
            owner[found] = name
        body = re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.M)
        if re.search(r"^(import|export)\b", body, re.M):
            sys.exit(f"bundle: js/{name}.js has an import or export that is not on one line of the usual form")
        parts.append(body)
    return "(() => {\n\"use strict\";\n" + "\n".join(parts) + "})();\n"


def content_hash(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main():
    output, d3 = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    library = "\n".join((d3 / f"d3-{name}" / "dist" / f"d3-{name}.min.js").read_text() for name in D3)
    code = "\n" + library + "\n" + script()
    style = "\n" + (HERE / "style.css").read_text()
    if "</script" in code or "</style" in style:
        sys.exit("bundle: the end of an element inside it")
    page = (HERE / "page.html").read_text()
    page = page.replace("<!--style-->", f"<style>{style}</style>").replace("<!--script-->", f"<script>{code}</script>")
    packed = zlib.compress(page.encode(), 9)
    rows = [",".join(map(str, packed[i:i + 40])) for i in range(0, len(packed), 40)]
    output.write_text(
        "// Made by web/bundle.py; do not edit.\n"
        "namespace vbo::web {\n"
        "extern const unsigned char kPage[];\nextern const unsigned kPageSize;\n"
        "extern const char kScriptHash[];\nextern const char kStyleHash[];\n"
        f"const unsigned kPageSize = {len(packed)};\n"
        f"const char kScriptHash[] = \"{content_hash(code)}\";\n"
        f"const char kStyleHash[] = \"{content_hash(style)}\";\n"
        "const unsigned char kPage[] = {\n" + ",\n".join(rows) + "};\n"
        "}  // namespace vbo::web\n")


if __name__ == "__main__":
    main()
