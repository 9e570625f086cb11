import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["lib/", "tests-built/"] },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.recommended, tseslint.configs.stylistic],
    rules: {
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
    },
  },
);
