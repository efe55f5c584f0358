/** As much of OpenAPI 3.0's schema object as is needed here. */
export interface JsonSchema {
  /** Name of the schema among the components of the document; a schema without a name is inlined. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  readonly format?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** The schema without members that say nothing. */
export const schema = (members: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
