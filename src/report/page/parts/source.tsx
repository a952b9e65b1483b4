/** The source with the finding's places marked in it, in the manner of a compiler's error. */
import type * as data from "../../document/index.ts";
import { useShared } from "../context.ts";
import { type LineNote, type ShownFile, type ShownLine, shownFiles } from "../model/source.ts";
import { baseName } from "../model/words.ts";
import { Code, Scroller, Section } from "./bits.tsx";

const roleNames: Readonly<Record<data.PlaceRole, string>> = {
  cause: "cause",
  lost: "lost",
  survives: "survives",
  cut: "power cut",
  read: "read",
  end: "recovery ends",
  also: "the same mistake",
  related: "related",
};

/** What says no more than the role does. */
const echo = /^(the power is cut |recovery ended here$|the same mistake shows )/;
const ownWord = /^(lost( too|, unlike the rest)?|until this|survives): /;

/** What a place is called, and what else is said of it: words of its own come before its role. */
function noteOf({ role, says }: LineNote): readonly [name: string, text: string] {
  const [beginning = "", word = roleNames[role]] = ownWord.exec(says) ?? [];
  return [word, says.slice(beginning.length).replace(echo, "")];
}

const Note = ({ note }: { readonly note: LineNote }) => {
  const [name, text] = noteOf(note);
  return (
    <div class={`note role-${note.role}`}>
      <span class="line-number" aria-hidden="true" />
      <span class="note-text">
        <b>{name}</b> {text}
      </span>
    </div>
  );
};

function Line({ line: { number, text, notes } }: { readonly line: ShownLine }) {
  const role = notes[0]?.role;
  return (
    <>
      <div class={`source-line${role === undefined ? "" : ` marked role-${role}`}`}>
        <span class="line-number">{number}</span>
        <code class="line-text">
          <Code text={text} />
        </code>
      </div>
      {notes.map((note, at) => (
        <Note key={at} note={note} />
      ))}
    </>
  );
}

const File = ({ shown: { file, parts } }: { readonly shown: ShownFile }) => (
  <figure class="source">
    <figcaption title={file}>{baseName(file)}</figcaption>
    <Scroller class="source-lines" label={`Source of ${baseName(file)}`}>
      {parts.map((lines, at) => (
        <div key={at} class="source-part">
          {lines.map((line) => (
            <Line key={line.number} line={line} />
          ))}
        </div>
      ))}
    </Scroller>
  </figure>
);

export function Source({ finding }: { readonly finding: data.Finding }) {
  const { report } = useShared();
  const files = shownFiles(report, finding.places);
  if (files.length === 0) return null;
  return (
    <Section id="source" title="Source">
      {files.map((file) => (
        <File key={file.file} shown={file} />
      ))}
    </Section>
  );
}
