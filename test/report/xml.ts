/** XML read by Python's expat, which accepts nothing that is not well-formed. */
import { execFileSync } from "node:child_process";

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

const program = `
import json, sys, xml.etree.ElementTree as tree
def plain(element):
    return {"name": element.tag, "attributes": element.attrib, "text": element.text or "", "children": [plain(child) for child in element]}
print(json.dumps(plain(tree.fromstring(sys.stdin.buffer.read()))))
`;

/** Throws when the text is not well-formed. */
export const parseXml = (text: string): XmlElement =>
  JSON.parse(execFileSync("python3", ["-c", program], { input: text, encoding: "utf8", stdio: "pipe" })) as XmlElement;
