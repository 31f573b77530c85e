/** What Dream.OS needs from outside the tree. Asked for when it is first used. */

export interface RenderRequest {
  readonly name: string
  /** The variables of the template: an object, or the text of one, in which `1` and `1.0` differ. */
  readonly data: Readonly<Record<string, unknown>> | string
  /** The text of a template by its name; `undefined` when there is none. */
  load(name: string): Promise<string | undefined> | string | undefined
}

export interface DreamPorts {
  /** Renders as Jinja2 does; throws with template and line. */
  renderer(): Promise<(request: RenderRequest) => Promise<string> | string>
}
