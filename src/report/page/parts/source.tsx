/** The source with the finding's places marked in it, in the manner of a compiler's error. */
import type * as data from "../../document/index.ts";
import { factWords } from "../../document/index.ts";
import { useShared } from "../context.ts";
import { type LineNote, type ShownFile, type ShownLine, shownFiles } from "../model/source.ts";
import { baseName, cutText } from "../model/words.ts";
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

const isWriteFact = (fact: data.PlaceFact | undefined): fact is data.WriteFact =>
  fact !== undefined && fact in factWords;

/** What a place is called, and what else is said of it: words of its fact come before its role. */
function noteOf({ role, fact, says }: LineNote, cut: data.Cut | undefined): readonly [name: string, text: string] {
  if (isWriteFact(fact)) return [factWords[fact], says.slice(factWords[fact].length + ": ".length)];
  if (role === "cut" && cut !== undefined) return [roleNames.cut, cutText(cut.before)];
  // What these say is no more than their role.
  return [roleNames[role], role === "end" || role === "also" ? "" : says];
}

const Note = ({ note, cut }: { readonly note: LineNote; readonly cut: data.Cut | undefined }) => {
  const [name, text] = noteOf(note, cut);
  return (
    <div class={`note role-${note.role}`}>
      <span class="line-number" aria-hidden="true" />
      <span class="note-text">
        <b>{name}</b> {text}
      </span>
    </div>
  );
};

function Line({
  line: { number, text, notes },
  cut,
}: {
  readonly line: ShownLine;
  readonly cut: data.Cut | undefined;
}) {
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
        <Note key={at} note={note} cut={cut} />
      ))}
    </>
  );
}

interface FileProps {
  readonly shown: ShownFile;
  readonly cut: data.Cut | undefined;
}

const File = ({ shown: { file, parts }, cut }: FileProps) => (
  <figure class="source">
    <figcaption title={file}>{baseName(file)}</figcaption>
    <Scroller class="source-lines" label={`Source of ${baseName(file)}`}>
      {parts.map((lines, at) => (
        <div key={at} class="source-part">
          {lines.map((line) => (
            <Line key={line.number} line={line} cut={cut} />
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
        <File key={file.file} shown={file} cut={finding.cut} />
      ))}
    </Section>
  );
}
