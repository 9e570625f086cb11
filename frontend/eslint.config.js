import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["tests-built/"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.recommended, tseslint.configs.stylistic],
    rules: {
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
    },
  },
);
