/** Tests compile with the switches that the command sets. */
import { tuneEngine } from "../../src/host/index.ts";

tuneEngine();
