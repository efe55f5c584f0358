import {
  agentSubject,
  type AgentVerb,
  ALL_EVENTS,
  ALL_PROJECTIONS,
  allAgentSubjects,
  anyAgentSubject,
  EventsService,
  eventSubject,
  HEAD_BEACON,
  IgnitionService,
  InventoryService,
  parseAgentSubject,
  projectionSubject,
  RegistrationService,
  STREAM_OWNERS,
  subjectOfMethod,
  ValidationService,
} from '.';

const VERBS: readonly AgentVerb[] = ['register', 'next_steps', 'reply_to_step', 'report_progress', 'nudge'];
const METHODS = [RegistrationService, InventoryService, ValidationService, IgnitionService, EventsService].flatMap(
  (service) => [...service.methods],
);
/** NATS: `*` is one token, `>` the rest. */
const covers = (pattern: string, subject: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+')}$`).test(subject);

describe('subjects', () => {
  it('name the service, the version and the method', () => {
    expect(subjectOfMethod(RegistrationService.method.registerHost)).toBe('registration.v1.register_host');
    expect(subjectOfMethod(EventsService.method.recordNote)).toBe('events.v1.record_note');
  });

  it('of methods differ, and consist of three lower-case tokens', () => {
    const subjects = METHODS.map(subjectOfMethod);
    expect(new Set(subjects).size).toBe(METHODS.length);
    for (const subject of subjects) expect(subject).toMatch(/^[a-z]+\.v1\.[a-z]+(_[a-z]+)*$/);
  });

  it('of facts and of the beacon are all under one pattern, and no category is taken for the beacon', () => {
    for (const category of Object.keys(STREAM_OWNERS)) {
      expect(covers(ALL_EVENTS, eventSubject(category))).toBe(true);
      expect(eventSubject(category)).not.toBe(HEAD_BEACON);
    }
    expect(covers(ALL_EVENTS, HEAD_BEACON)).toBe(true);
  });

  it('of projections are under one pattern', () => {
    expect(covers(ALL_PROJECTIONS, projectionSubject('views'))).toBe(true);
  });

  it.each(VERBS)('of agents who %s are read as they were written, and kept within their infra-env', (verb) => {
    const subject = agentSubject('env-1', 'host-1', verb);
    expect(parseAgentSubject(subject)).toEqual({ infraEnvId: 'env-1', hostId: 'host-1', verb });
    expect(covers(anyAgentSubject(verb), subject)).toBe(true);
    expect(covers(allAgentSubjects('env-1'), subject)).toBe(true);
    expect(covers(allAgentSubjects('env-2'), subject)).toBe(false);
  });

  it.each([
    'agent.v1.env.host',
    'agent.v1.env.host.nudge.more',
    'agent.v2.env.host.nudge',
    'fact.v1.host',
    '',
    'agent.v1...nudge',
  ])('that no agent may use, such as "%s", are told apart', (subject) =>
    expect(parseAgentSubject(subject)).toBeUndefined(),
  );
});
