import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from "@jupyterlab/application";
import { ICommandPalette, IThemeManager, WidgetTracker, type MainAreaWidget } from "@jupyterlab/apputils";
import type { IDocumentWidget } from "@jupyterlab/docregistry";
import { IFileBrowserFactory } from "@jupyterlab/filebrowser";
import { ILauncher } from "@jupyterlab/launcher";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { IStateDB } from "@jupyterlab/statedb";
import { ITranslator, nullTranslator } from "@jupyterlab/translation";
import type { Widget } from "@lumino/widgets";
import { CHAIN, isChainReport, SELECT } from "../core/report.ts";
import { Captures } from "./captures.ts";
import { addCommands, Commands } from "./commands.ts";
import { FACTORY, registerDocuments } from "./documents.ts";
import { Inspector } from "./inspector.tsx";
import { Memory } from "./memory.ts";
import { Selections } from "./selections.ts";
import { Server } from "./server.ts";
import { DEFAULTS, loadSettings, magicLine } from "./settings.ts";
import { Sidebar } from "./sidebar.tsx";
import { watchServer } from "./version.ts";
import { ProfileView } from "./view.ts";

const PLUGIN = "neuron-nbprof:plugin";

/** Nothing is required, so that it works wherever a part is missing, as in Notebook 7. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN,
  description: "Profiles of PyTorch on AWS Neuron: captures, timelines and dependency chains.",
  autoStart: true,
  optional: [
    ITranslator,
    ICommandPalette,
    ILayoutRestorer,
    ILabShell,
    IFileBrowserFactory,
    INotebookTracker,
    ILauncher,
    IStateDB,
    ISettingRegistry,
    IThemeManager,
  ],
  activate,
};

function activate(
  app: JupyterFrontEnd,
  translator: ITranslator | null,
  palette: ICommandPalette | null,
  restorer: ILayoutRestorer | null,
  labShell: ILabShell | null,
  browsers: IFileBrowserFactory | null,
  notebooks: INotebookTracker | null,
  launcher: ILauncher | null,
  state: IStateDB | null,
  registry: ISettingRegistry | null,
  themes: IThemeManager | null,
): void {
  const trans = (translator ?? nullTranslator).load("neuron_nbprof");
  const server = new Server(app.serviceManager.serverSettings);
  const captures: Captures = new Captures(server, () => sidebar.isVisible);
  const selections = new Selections();
  const inspector = new Inspector(selections, trans);
  const settings = { ...DEFAULTS };
  const memory = Memory.load(state);
  void memory.then((loaded) => {
    captures.recent = loaded.keys;
  });
  const views = new Set<ProfileView>();
  const tabs = new WidgetTracker<MainAreaWidget<ProfileView>>({ namespace: "neuron-nbprof" });
  const documents = new WidgetTracker<IDocumentWidget<ProfileView>>({ namespace: "neuron-nbprof-documents" });

  const dark = () => {
    if (settings.theme !== "jupyter") return settings.theme === "dark";
    return !!themes?.theme && !themes.isLight(themes.theme);
  };
  const inspected = () => inspector.isVisible;
  inspector.turned.connect(() => views.forEach((view) => view.setInspected()));
  const paint = () => views.forEach((view) => view.setTheme());
  const create = (paths: string[]) => {
    const view = new ProfileView({ paths, server, dark, inspected, trans, memory });
    views.add(view);
    view.disposed.connect(() => views.delete(view));
    return view;
  };
  // The first click opens the inspector; whoever closes it then is left alone.
  let introduced = false;
  /** Let the inspector follow a view; `owner` is the tab or document that holds it. */
  const follow = (owner: Widget, view: ProfileView) => {
    view.reported.connect((_, { report, byHand }) => {
      const now = byHand || labShell?.currentWidget === owner;
      selections.tell(owner, { report, select: (id) => view.select(id) }, now);
      if (!byHand || !labShell) return;
      if (!introduced && report.selected) labShell.activateById(inspector.id);
      introduced = true;
      // A click within the frame does not tell JupyterLab in which tab it was.
      labShell.activateById(owner.id);
    });
  };

  const sidebar: Sidebar = new Sidebar({
    captures,
    trans,
    actions: {
      open: (path) => void app.commands.execute(Commands.open, { path }),
      compare: (paths) => void app.commands.execute(Commands.compare, { paths }),
      reveal: (path) => void app.commands.execute(Commands.reveal, { path }),
      copy: (path) => void app.commands.execute(Commands.copy, { path }),
      remove: (path) => void app.commands.execute(Commands.remove, { path }),
    },
  });
  app.shell.add(sidebar, "left", { rank: 600, type: "Neuron Profiles" });
  app.shell.add(inspector, "right", { rank: 600, type: "Dependency Chain" });

  watchServer(captures, trans, () => {
    sidebar.dispose();
    inspector.dispose();
  });
  addCommands({
    app,
    trans,
    server,
    captures,
    sidebar,
    inspector,
    create,
    find: (paths) => tabs.find((tab) => tab.content.key === paths.join("\n")),
    opened: (tab) => {
      follow(tab, tab.content);
      void tabs.add(tab);
    },
    magic: () => magicLine(settings),
    labShell,
    browsers,
    notebooks,
  });
  const category = trans.__("Neuron");
  for (const command of [
    Commands.showCaptures,
    Commands.showChain,
    Commands.profileCell,
    Commands.newNotebook,
    Commands.save,
  ]) {
    palette?.addItem({ command, category });
  }
  launcher?.add({ command: Commands.newNotebook, category: trans.__("Other"), rank: 50 });

  registerDocuments(app.docRegistry, create, trans).widgetCreated.connect((_, widget) => {
    follow(widget, widget.content);
    void documents.add(widget);
  });

  // A widget in a notebook tells its selection by an event of the page.
  document.body.addEventListener(CHAIN, (event) => {
    const { target, detail } = event as CustomEvent<unknown>;
    if (!(target instanceof HTMLElement) || !isChainReport(detail)) return;
    const owner = [...app.shell.widgets("main")].find((widget) => widget.node.contains(target));
    const select = (id: number) => target.dispatchEvent(new CustomEvent(SELECT, { detail: id }));
    if (owner) selections.tell(owner, { report: detail, select }, owner === app.shell.currentWidget);
  });
  labShell?.currentChanged.connect((_, { newValue }) => selections.follow(newValue));
  app.serviceManager.sessions.runningChanged.connect(() => {
    if (sidebar.isVisible) captures.refresh();
  });

  themes?.themeChanged.connect(paint);
  if (restorer) {
    restorer.add(sidebar, sidebar.id);
    restorer.add(inspector, inspector.id);
    void restorer.restore(tabs, {
      command: Commands.compare,
      args: (tab) => ({ paths: tab.content.paths, name: tab.title.label }),
      name: (tab) => tab.content.key,
    });
    void restorer.restore(documents, {
      command: "docmanager:open",
      args: (widget) => ({ path: widget.context.path, factory: FACTORY }),
      name: (widget) => widget.context.path,
    });
  }
  if (registry) {
    void loadSettings(registry, PLUGIN, (loaded) => {
      Object.assign(settings, loaded);
      captures.interval = settings.refreshInterval;
      paint();
    }).catch((reason: unknown) => console.error("neuron-nbprof: the settings cannot be read", reason));
  }
}

export default plugin;
