/** `make unit`: the tests that need nothing but Node. */
import { defineConfig } from "vitest/config";
import { unitTests } from "./test/support/unit-tests.ts";
import whole from "./vitest.config.ts";

const { include: _all, ...test } = whole.test ?? {};

export default defineConfig({ ...whole, test: { ...test, include: [...unitTests(import.meta.dirname)] } });
