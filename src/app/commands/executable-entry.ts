/** The process of the single-file executable, from the files that it has unpacked: as entry.ts, in a form that it can load. */
import { tuneEngine } from "../../host/index.ts";
import { loadBundle } from "./launch.ts";

tuneEngine();
void loadBundle()
  .main(process.argv.slice(2))
  .then((code) => process.exit(code));
