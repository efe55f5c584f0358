import {
  agentSubject,
  type AgentVerb,
  anyAgentSubject,
  EventsService,
  IgnitionService,
  InventoryService,
  parseAgentSubject,
  RegistrationService,
  subjectOfMethod,
  ValidationService,
} from '.';

const VERBS: readonly AgentVerb[] = ['register', 'next_steps', 'reply_to_step', 'report_progress', 'nudge'];
const METHODS = [RegistrationService, InventoryService, ValidationService, IgnitionService, EventsService].flatMap(
  (service) => [...service.methods],
);
/** Returns true when the NATS pattern covers the subject. `*` is one token, `>` the remaining tokens. */
const covers = (pattern: string, subject: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+')}$`).test(subject);

describe('NATS subjects', () => {
  it('contain the service, the version, and the method', () => {
    expect(subjectOfMethod(RegistrationService.method.registerHost)).toBe('registration.v1.register_host');
    expect(subjectOfMethod(EventsService.method.recordNote)).toBe('events.v1.record_note');
  });

  it('of methods differ and consist of three lower-case tokens', () => {
    const subjects = METHODS.map(subjectOfMethod);
    expect(new Set(subjects).size).toBe(METHODS.length);
    for (const subject of subjects) expect(subject).toMatch(/^[a-z]+\.v1\.[a-z]+(_[a-z]+)*$/);
  });

  it.each(VERBS)('of agents for the verb %s parse to their host and stay within their infra-env', (verb) => {
    const subject = agentSubject('env-1', 'host-1', verb);
    expect(parseAgentSubject(subject)).toEqual({ infraEnvId: 'env-1', hostId: 'host-1', verb });
    expect(covers(anyAgentSubject(verb), subject)).toBe(true);
  });

  it.each([
    'agent.v1.env.host',
    'agent.v1.env.host.nudge.more',
    'agent.v2.env.host.nudge',
    'event.v1.host',
    '',
    'agent.v1...nudge',
  ])('return undefined for a subject that agents may not use: "%s"', (subject) =>
    expect(parseAgentSubject(subject)).toBeUndefined(),
  );
});
