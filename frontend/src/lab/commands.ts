import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import {
  Clipboard,
  Dialog,
  MainAreaWidget,
  Notification,
  showDialog,
  showErrorMessage,
} from "@jupyterlab/apputils";
import type { IFileBrowserFactory } from "@jupyterlab/filebrowser";
import type { INotebookTracker } from "@jupyterlab/notebook";
import type { TranslationBundle } from "@jupyterlab/translation";
import { profileActiveCell, isCode } from "./cell.ts";
import type { Captures } from "./captures.ts";
import { profileIcon, recordIcon } from "./icon.ts";
import type { Inspector } from "./inspector.tsx";
import type { Server } from "./server.ts";
import type { Sidebar } from "./sidebar.tsx";
import { ProfileView } from "./view.ts";
import { NOTEBOOK } from "./template.ts";

export const Commands = {
  open: "neuron-nbprof:open",
  openSelected: "neuron-nbprof:open-selected",
  compare: "neuron-nbprof:compare",
  reveal: "neuron-nbprof:reveal",
  copy: "neuron-nbprof:copy-python",
  remove: "neuron-nbprof:delete",
  save: "neuron-nbprof:save-page",
  showCaptures: "neuron-nbprof:show-captures",
  showChain: "neuron-nbprof:show-chain",
  profileCell: "neuron-nbprof:profile-cell",
  newNotebook: "neuron-nbprof:new-notebook",
} as const;

/** Letters of the name of a file that is saved, which systems limit to 255 bytes. */
const MOST_NAME = 100;

type Tab = MainAreaWidget<ProfileView>;

export interface Surroundings {
  app: JupyterFrontEnd;
  trans: TranslationBundle;
  server: Server;
  captures: Captures;
  sidebar: Sidebar;
  inspector: Inspector;
  create(paths: string[]): ProfileView;
  /** The open tab that shows just these captures. */
  find(paths: string[]): Tab | undefined;
  opened(tab: Tab): void;
  /** What stands in the line of the magic. */
  magic(): string;
  labShell: ILabShell | null;
  browsers: IFileBrowserFactory | null;
  notebooks: INotebookTracker | null;
}

export function addCommands(around: Surroundings): void {
  const { app, trans, sidebar, inspector } = around;
  const { commands, shell } = app;
  commands.addCommand(Commands.open, {
    label: trans.__("Open in Neuron Profiler"),
    icon: profileIcon,
    execute: ({ path, name }) => open(around, [String(path)], typeof name === "string" ? name : undefined),
  });
  commands.addCommand(Commands.openSelected, {
    label: trans.__("Open in Neuron Profiler"),
    icon: profileIcon,
    isVisible: () => !!around.browsers?.tracker.currentWidget,
    execute: () => {
      const items = around.browsers?.tracker.currentWidget?.selectedItems() ?? [];
      return Promise.all([...items].map((item) => commands.execute(Commands.open, { path: item.path })));
    },
  });
  commands.addCommand(Commands.compare, {
    label: trans.__("Compare in Neuron Profiler"),
    icon: profileIcon,
    execute: ({ paths, name }) =>
      open(around, (paths as string[]).map(String), typeof name === "string" ? name : undefined),
  });
  commands.addCommand(Commands.reveal, {
    label: trans.__("Show in the file browser"),
    isEnabled: () => commands.hasCommand("filebrowser:go-to-path"),
    execute: ({ path }) => commands.execute("filebrowser:go-to-path", { path }),
  });
  commands.addCommand(Commands.copy, {
    label: trans.__("Copy the Python line that opens it"),
    execute: ({ path }) => {
      const line = pythonLine(around.captures.listing?.root ?? "", String(path));
      Clipboard.copyToSystem(line);
      Notification.success(trans.__("Copied: %1", line), { autoClose: 3000 });
      return line;
    },
  });
  commands.addCommand(Commands.remove, {
    label: trans.__("Delete the capture"),
    execute: ({ path }) => remove(around, String(path)),
  });
  commands.addCommand(Commands.save, {
    label: trans.__("Save the profile as a page"),
    caption: trans.__("One HTML file that needs neither a network nor Jupyter"),
    isEnabled: () => currentView(around)?.saved !== undefined && currentView(around)?.saved !== null,
    execute: () => save(currentView(around)),
  });
  commands.addCommand(Commands.showCaptures, {
    label: trans.__("Neuron Profiles"),
    icon: profileIcon,
    isEnabled: () => sidebar.isAttached,
    execute: () => shell.activateById(sidebar.id),
  });
  commands.addCommand(Commands.showChain, {
    label: trans.__("Dependency Chain"),
    icon: profileIcon,
    isEnabled: () => inspector.isAttached,
    execute: () => shell.activateById(inspector.id),
  });
  commands.addCommand(Commands.profileCell, {
    label: trans.__("Profile This Cell"),
    caption: trans.__("Profile this cell: run it under the magic, without editing it"),
    icon: recordIcon,
    isEnabled: () => isCode(around.notebooks?.activeCell),
    isVisible: () => around.notebooks !== null,
    execute: () => profile(around),
  });
  commands.addCommand(Commands.newNotebook, {
    label: trans.__("New Neuron Profile Notebook"),
    caption: trans.__("A notebook that profiles PyTorch on a Neuron device"),
    icon: profileIcon,
    execute: ({ cwd }) => newNotebook(around, typeof cwd === "string" ? cwd : undefined),
  });
}

/** A tab, or where pages hold one document only, as in Notebook 7, a page of its own in the browser. */
async function open(around: Surroundings, paths: string[], name?: string): Promise<Tab | undefined> {
  const { app, trans, server, labShell } = around;
  if (!labShell) {
    window.open(server.pageUrl(paths), "_blank", "noopener");
    return undefined;
  }
  const known = around.find(paths);
  if (known) {
    labShell.activateById(known.id);
    return known;
  }
  const content = around.create(paths);
  const tab = new MainAreaWidget({ content });
  const names = paths.map((path) => nameOf(around, path));
  tab.id = `neuron-nbprof-${paths.map(encodeURIComponent).join("+")}`;
  tab.title.label = name ?? (names.length > 1 ? trans.__("Compare %1", names.join(", ")) : names[0]);
  tab.title.caption = content.description;
  tab.title.icon = profileIcon;
  tab.title.closable = true;
  tab.node.setAttribute("aria-label", content.description);
  app.shell.add(tab, "main");
  around.opened(tab);
  labShell.activateById(tab.id);
  void content.load();
  return tab;
}

function nameOf({ captures }: Surroundings, path: string): string {
  return captures.listing?.captures.find((one) => one.path === path)?.name ?? baseName(path);
}

function baseName(path: string): string {
  return path.split("/").pop() ?? path;
}

/** A line for any kernel on this machine, whatever its folder: JSON's strings are Python's too. */
export function pythonLine(root: string, path: string): string {
  return `import neuron_nbprof; profile = neuron_nbprof.open(${JSON.stringify(`${root}/${path}`)})`;
}

async function remove({ app, trans, captures, find }: Surroundings, path: string): Promise<void> {
  const answer = await showDialog({
    title: trans.__("Delete the capture?"),
    body: trans.__("Everything in %1 will be deleted.", path),
    buttons: [
      Dialog.cancelButton({ label: trans.__("Cancel") }),
      Dialog.warnButton({ label: trans.__("Delete") }),
    ],
    defaultButton: 0,
  });
  if (!answer.button.accept) return;
  try {
    await app.serviceManager.contents.delete(path);
    find([path])?.dispose();
  } catch (reason) {
    await showErrorMessage(trans.__("The capture could not be deleted"), reason as Error);
  }
  captures.refresh();
}

function currentView({ app }: Surroundings): ProfileView | null {
  const current = app.shell.currentWidget as { content?: unknown } | null;
  return current?.content instanceof ProfileView ? current.content : null;
}

/** A frame without an origin cannot save; the page around it has what it showed. */
function save(view: ProfileView | null): void {
  if (!view?.saved) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(view.saved);
  link.download = `${view.paths.map(baseName).join(" and ").slice(0, MOST_NAME)}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function profile({ trans, notebooks, captures, magic }: Surroundings): Promise<void> {
  const panel = notebooks?.currentWidget;
  if (!panel) return;
  await profileActiveCell(panel, magic(), trans);
  captures.refresh();
}

async function newNotebook({ app, browsers }: Surroundings, folder?: string): Promise<unknown> {
  const { contents } = app.serviceManager;
  const path = folder ?? browsers?.tracker.currentWidget?.model.path ?? "";
  const { path: made } = await contents.newUntitled({ path, type: "notebook" });
  await contents.save(made, { type: "notebook", format: "json", content: NOTEBOOK });
  return app.commands.execute("docmanager:open", { path: made });
}
