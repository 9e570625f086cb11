/** What anywidget hands over; a model's references to other models arrive as "IPY_MODEL_<id>". */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown): void;
  on(event: string, listener: (content: unknown) => void): void;
  off(event: string, listener: (content: unknown) => void): void;
  widget_manager: { get_model(id: string): Promise<WidgetModel> };
}

export interface WidgetView {
  model: WidgetModel;
  el: HTMLElement;
}

const REFERENCE = "IPY_MODEL_";

/** The model that an attribute of `model` refers to. */
export async function referred(model: WidgetModel, name: string): Promise<WidgetModel> {
  return resolve(model, model.get(name));
}

/** The models that an attribute of `model` lists. */
export async function listed(model: WidgetModel, name: string): Promise<WidgetModel[]> {
  return Promise.all((model.get(name) as unknown[]).map((reference) => resolve(model, reference)));
}

async function resolve(model: WidgetModel, reference: unknown): Promise<WidgetModel> {
  if (typeof reference !== "string") return reference as WidgetModel;
  return model.widget_manager.get_model(reference.replace(REFERENCE, ""));
}

export function bytes(model: WidgetModel, name: string): Uint8Array<ArrayBuffer> {
  const data = model.get(name) as DataView<ArrayBuffer>;
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
