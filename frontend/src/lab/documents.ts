import {
  ABCWidgetFactory,
  DocumentWidget,
  TextModelFactory,
  type DocumentRegistry,
  type IDocumentWidget,
} from "@jupyterlab/docregistry";
import type { Contents } from "@jupyterlab/services";
import type { TranslationBundle } from "@jupyterlab/translation";
import { profileIcon } from "./icon.ts";
import type { ProfileView } from "./view.ts";

export const FACTORY = "Neuron Profiler";
const FILE_TYPE = "neuron-trace";
const MODEL = "neuron-nbprof-unloaded";

/** Make captures documents: their icon, their double click, and "Open With" in the file browser. */
export function registerDocuments(
  registry: DocumentRegistry,
  create: (paths: string[]) => ProfileView,
  trans: TranslationBundle,
): ProfileFactory {
  registry.addFileType({
    name: FILE_TYPE,
    displayName: trans.__("Neuron profile"),
    icon: profileIcon,
    contentType: "file",
    fileFormat: "base64",
    mimeTypes: ["application/octet-stream"],
    extensions: [".pt.trace.json", ".pt.trace.json.gz", ".ntff"],
    pattern: "^(trace|.+_trace)\\.json(\\.gz)?$",
  });
  registry.addModelFactory(new UnloadedModelFactory());
  const factory = new ProfileFactory(
    {
      name: FACTORY,
      label: trans.__("Neuron Profiler"),
      modelName: MODEL,
      fileTypes: [FILE_TYPE],
      defaultFor: [FILE_TYPE],
      readOnly: true,
    },
    create,
  );
  registry.addWidgetFactory(factory);
  return factory;
}

class ProfileFactory extends ABCWidgetFactory<IDocumentWidget<ProfileView>> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions,
    private readonly create: (paths: string[]) => ProfileView,
  ) {
    super(options);
  }

  protected createNewWidget(context: DocumentRegistry.Context): IDocumentWidget<ProfileView> {
    const content = this.create([context.path]);
    return new DocumentWidget({ content, context, reveal: context.ready.then(() => void content.load()) });
  }
}

/** A model without content: a trace of gigabytes must not come to the browser as the text of a file. */
class UnloadedModelFactory extends TextModelFactory {
  override get name(): string {
    return MODEL;
  }

  override get contentType(): Contents.ContentType {
    return "file";
  }

  /** None: the document then asks the server for all but the content. */
  override get fileFormat(): Contents.FileFormat {
    return null;
  }
}
