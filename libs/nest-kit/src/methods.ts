import type { DescMessage, DescMethod, JsonValue, MessageShape } from '@bufbuild/protobuf';
import {
  EventsService,
  IgnitionService,
  InventoryService,
  type Plain,
  RegistrationService,
  subjectOfMethod,
  toPlainForm,
  ValidationService,
} from '@muster/contracts';

/** A method of a service in proto/muster/v1, with the types of its messages. */
export type Method<Input extends DescMessage = DescMessage, Output extends DescMessage = DescMessage> = Omit<
  DescMethod,
  'input' | 'output'
> & { readonly input: Input; readonly output: Output };

export type InputOf<M extends Method> = Plain<MessageShape<M['input']>>;
export type OutputOf<M extends Method> = Plain<MessageShape<M['output']>>;

const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  [RegistrationService, InventoryService, ValidationService, IgnitionService, EventsService].flatMap((service) =>
    Object.values<DescMethod>(service.method).map((method) => [subjectOfMethod(method), method] as const),
  ),
);

export function methodOfSubject(subject: string): DescMethod | undefined {
  return METHODS.get(subject);
}

/** The message as a plain object with its implicit fields; throws with the place when the JSON is not of that shape. */
export function parseMessage<Schema extends DescMessage>(schema: Schema, body: JsonValue): Plain<MessageShape<Schema>> {
  return toPlainForm(schema, body);
}
