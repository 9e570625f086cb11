import { CodeCell, type Cell } from "@jupyterlab/cells";
import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import { OutputArea } from "@jupyterlab/outputarea";
import type { Kernel } from "@jupyterlab/services";

const MAGIC = "%%neuronprof";

/** The version of the package in the environment of the kernel, which may not be that of the server; null: none. */
export async function loadMagic(kernel: Kernel.IKernelConnection): Promise<string | null> {
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

/** Run a cell under the magic, into its own output; the text of the cell stays as it is. */
export async function profileCell(panel: NotebookPanel, cell: CodeCell, line: string): Promise<void> {
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
