import { showErrorMessage } from "@jupyterlab/apputils";
import { CodeCell, type Cell } from "@jupyterlab/cells";
import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import { OutputArea } from "@jupyterlab/outputarea";
import type { Kernel } from "@jupyterlab/services";
import type { TranslationBundle } from "@jupyterlab/translation";
import { checkKernel } from "./version.ts";

const MAGIC = "%%neuronprof";

/** The version of the package in the environment of the kernel, which may not be that of the server; null: none. */
async function loadMagic(kernel: Kernel.IKernelConnection): Promise<string | null> {
  const future = kernel.requestExecute({
    code: "%load_ext neuron_nbprof",
    silent: true,
    store_history: false,
    user_expressions: { version: "__import__('neuron_nbprof').__version__" },
  });
  const { content } = await future.done;
  if (content.status !== "ok") return null;
  const { version } = content.user_expressions as Record<
    string,
    { data?: Record<string, string> } | undefined
  >;
  return version?.data?.["text/plain"]?.replace(/'/g, "") ?? null;
}

/** Whether this is a cell that can be profiled. */
export function isCode(cell: Cell | null | undefined): cell is CodeCell {
  return cell instanceof CodeCell && cell.model.sharedModel.source.trim() !== "";
}

/** Run the active cell under the magic, or say why its kernel cannot. */
export async function profileActiveCell(
  panel: NotebookPanel,
  line: string,
  trans: TranslationBundle,
): Promise<void> {
  const cell = panel.content.activeCell;
  if (!isCode(cell)) return;
  const problem = await prepare(panel, cell, trans);
  if (problem) await showErrorMessage(trans.__("This kernel cannot profile"), problem);
  else await profileCell(panel, cell, line);
}

/** Make the magic known to the kernel; the sentence that says why that cannot be, or null. */
async function prepare(
  panel: NotebookPanel,
  cell: CodeCell,
  trans: TranslationBundle,
): Promise<string | null> {
  const kernel = panel.sessionContext.session?.kernel;
  if (!kernel) return trans.__("The notebook has none. Choose a kernel, then profile again.");
  const { language = "python", display_name: name = "" } = (await kernel.spec) ?? {};
  if (language.toLowerCase() !== "python")
    return trans.__("%1 runs %2, and only Python can be profiled.", name, language);
  const count = cell.model.executionCount;
  // A busy kernel comes to it later.
  cell.setPrompt("*");
  let version: string | null = null;
  try {
    version = await loadMagic(kernel);
  } finally {
    if (version === null && !cell.isDisposed) cell.setPrompt(count === null ? "" : String(count));
  }
  if (version === null)
    return trans.__(
      "neuron_nbprof is not installed in its environment. Run %pip install neuron-nbprof in a cell, then profile again.",
    );
  checkKernel(version, trans);
  return null;
}

/** Run a cell under the magic, into its own output; the text of the cell stays as it is. */
async function profileCell(panel: NotebookPanel, cell: CodeCell, line: string): Promise<void> {
  const { sessionContext, content: notebook } = panel;
  const { source } = cell.model.sharedModel;
  if (source.trimStart().startsWith(MAGIC)) {
    await NotebookActions.run(notebook, sessionContext);
    return;
  }
  cell.model.executionCount = null;
  cell.setPrompt("*");
  cell.model.trusted = true;
  const metadata = { cellId: cell.model.sharedModel.getId() };
  try {
    const code = `${MAGIC} ${line}\n${source}`;
    const reply = await OutputArea.execute(code, cell.outputArea, sessionContext, metadata);
    cell.model.executionCount = reply?.content.execution_count ?? null;
  } finally {
    if (!cell.isDisposed && cell.model.executionCount === null) cell.setPrompt("");
  }
}
