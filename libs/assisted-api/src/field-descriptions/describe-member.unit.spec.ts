import { describeMember } from './descriptions.table';

describe('description of a member', () => {
  it('is found by its name', () => {
    expect(describeMember('anything', 'cidr', { type: 'string' })).toEqual({
      type: 'string',
      description: 'Network in CIDR notation, for example 192.168.10.0/24.',
    });
  });

  it('is specific to an object in which the member has another meaning', () => {
    const { description } = describeMember('ListEventsQuery', 'message', { type: 'string' });
    expect(description).toMatch(/^Restricts the result/);
    expect(describeMember('event', 'message', { type: 'string' }).description).not.toBe(description);
  });

  it('is placed beside a reference to a titled schema', () => {
    const named = { title: 'proxy', type: 'object' } as const;
    expect(describeMember('infra-env', 'proxy', named)).toMatchObject({ allOf: [named] });
  });

  it('of members of an object without a title belongs to the member that holds it', () => {
    const inline = { type: 'object', properties: { flips: { type: 'integer' } } } as const;
    const { properties = {} } = describeMember('validation', 'flapping', inline);
    expect(properties['flips']?.description).toMatch(/within the window/);
  });

  it('is omitted for an unknown member', () => {
    expect(describeMember('box', 'toString', { type: 'string' })).toEqual({ type: 'string' });
  });
});
