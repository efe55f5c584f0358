import { type DescMessage, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { arbitraryPlain } from './arbitrary-message.fixture.spec';
import { EVENTS_BY_CATEGORY } from './event-types';
import { EventsService } from './gen/muster/v1/events_pb';
import { IgnitionService } from './gen/muster/v1/ignition_pb';
import { InventoryService } from './gen/muster/v1/inventory_pb';
import { RegistrationService } from './gen/muster/v1/registration_pb';
import { ValidationService } from './gen/muster/v1/validation_pb';
import { toFinalForm, toPlainForm } from './plain';

const SERVICES = [RegistrationService, InventoryService, ValidationService, IgnitionService, EventsService];
const SCHEMAS = new Map<string, DescMessage>(
  [
    ...Object.values(EVENTS_BY_CATEGORY).flatMap((events) => Object.values<DescMessage>(events)),
    ...SERVICES.flatMap(({ methods }) => methods.flatMap(({ input, output }) => [input, output])),
  ].map((schema) => [schema.typeName, schema]),
);

/** The text of the result, which also shows the order of its members, or that it was refused. */
const textOf = (convert: () => unknown): string => {
  try {
    return JSON.stringify(convert());
  } catch {
    return 'refused';
  }
};

/** The conversion of the protobuf library alone. */
const viaProtobuf = (schema: DescMessage, value: unknown): unknown =>
  toJson(schema, fromJson(schema, value as JsonValue), { alwaysEmitImplicit: true });

/** Members that a message rarely has: absent, undefined, null, of another type, not known. */
const UNUSUAL_MEMBERS = [undefined, null, 7, -0, 1.5, '', '8', 'lone \ud800', [], {}, [null], { unknown: 1 }];

describe('toPlainForm', () => {
  const schema = RegistrationService.method.nextSteps.input;

  it('accepts any text that UTF-8 can encode', () => {
    expect(toPlainForm(schema, { hostId: 'z\u00fcrich \u{1f680}' })).toMatchObject({ hostId: 'zürich 🚀' });
  });

  it('throws with the name of the field for a lone surrogate', () => {
    expect(() => toPlainForm(schema, { hostId: 'a\ud83d' })).toThrow(/hostId|host_id/i);
  });

  it('returns a copy, so that the receiver of a message cannot change the object of its sender', () => {
    const { input } = RegistrationService.method.registerCluster;
    const sent = { settings: { apiVips: { items: ['192.0.2.1'] }, platformDetails: { nested: { list: [1] } } } };
    const received = toPlainForm(input, sent);
    expect(received.settings?.apiVips).toEqual(sent.settings.apiVips);
    expect(received.settings?.apiVips?.items).not.toBe(sent.settings.apiVips.items);
    expect(received.settings?.platformDetails).toEqual(sent.settings.platformDetails);
    expect(received.settings?.platformDetails).not.toBe(sent.settings.platformDetails);
  });

  it('returns data in its final form itself, also as a free object, but not as a message of another schema', () => {
    const { input } = InventoryService.method.recordReport;
    const { StepFailed } = EVENTS_BY_CATEGORY.inventory;
    const sent = { stepType: 'inventory', reason: 'no program' };
    const data = toFinalForm(StepFailed, sent);
    expect(data).not.toBe(sent);
    expect(toPlainForm(StepFailed, sent)).not.toBe(sent);
    expect(toPlainForm(StepFailed, data)).toBe(data);
    expect(toPlainForm(input, { hostKey: 'key', data }).data).toBe(data);
    expect(() => toPlainForm(input, data)).toThrow(/stepType/);
  });

  it('does not take a prototype from the members of a free object', () => {
    const { input } = RegistrationService.method.registerCluster;
    const platformDetails: unknown = JSON.parse('{"nested":{"__proto__":{"isAdmin":true}}}');
    const received = toPlainForm(input, { settings: { platformDetails } }).settings?.platformDetails?.['nested'];
    expect(Object.getPrototypeOf(received)).toBe(Object.prototype);
  });

  it.each([...SCHEMAS])('converts and refuses the same values of %s as the protobuf library', (_, schema) => {
    const names = [...schema.fields.flatMap(({ name, jsonName }) => [name, jsonName]), 'unknown'];
    const change = fc.record({ name: fc.constantFrom(...names), value: fc.constantFrom(...UNUSUAL_MEMBERS) });
    fc.assert(
      fc.property(arbitraryPlain(schema), fc.option(change), (plain, changed) => {
        const value = changed ? { ...plain, [changed.name]: changed.value } : plain;
        // The library refuses undefined, which counts as absent here.
        const defined = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
        expect(textOf(() => toPlainForm(schema, value))).toBe(textOf(() => viaProtobuf(schema, defined)));
      }),
      { numRuns: 40 },
    );
  });
});
