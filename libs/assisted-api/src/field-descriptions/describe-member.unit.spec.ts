import { describeMember } from './describe-member';

describe('What a member means', () => {
  it('is said by its name', () => {
    expect(describeMember('anything', 'cidr', { type: 'string' })).toEqual({
      type: 'string',
      description: 'A network, such as 192.168.10.0/24.',
    });
  });

  it('is said for one object where it means something else there', () => {
    const { description } = describeMember('ListEventsQuery', 'message', { type: 'string' });
    expect(description).toMatch(/^Only events/);
    expect(describeMember('event', 'message', { type: 'string' }).description).not.toBe(description);
  });

  it('stands beside what has a name of its own, not in it', () => {
    const named = { title: 'proxy', type: 'object' } as const;
    expect(describeMember('infra-env', 'proxy', named)).toMatchObject({ allOf: [named] });
  });

  it('is left out of what nobody said anything about', () => {
    expect(describeMember('box', 'toString', { type: 'string' })).toEqual({ type: 'string' });
  });
});
