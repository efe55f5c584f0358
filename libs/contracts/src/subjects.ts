import type { DescMethod } from '@bufbuild/protobuf';

/**
 * All NATS subjects are created in this file. Subjects go from general to specific and contain identities as tokens and
 * verbs in lower snake case.
 */
const snake = (camel: string): string =>
  camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');

type NamedMethod = Pick<DescMethod, 'name' | 'parent'>;

/** The methods are constants of the generated code. */
const SUBJECTS = new WeakMap<NamedMethod, string>();

/** Returns `registration.v1.register_host` for RegistrationService.RegisterHost. */
export function subjectOfMethod(method: NamedMethod): string {
  const known = SUBJECTS.get(method);
  if (known !== undefined) return known;
  const service = snake(method.parent.name.replace(/Service$/, ''));
  const subject = `${service}.v1.${snake(method.name)}`;
  SUBJECTS.set(method, subject);
  return subject;
}

export type AgentVerb = 'register' | 'next_steps' | 'reply_to_step' | 'report_progress' | 'nudge';
export const agentSubject = (infraEnvId: string, hostId: string, verb: AgentVerb): string =>
  `agent.v1.${infraEnvId}.${hostId}.${verb}`;
/** Returns the subject pattern on which the agents' endpoint listens for a verb. */
export const anyAgentSubject = (verb: AgentVerb): string => `agent.v1.*.*.${verb}`;

/** Verbs that the agent of a host publishes. */
export const AGENT_REQUEST_VERBS = [
  'register',
  'next_steps',
  'reply_to_step',
  'report_progress',
] as const satisfies readonly AgentVerb[];

export function parseAgentSubject(
  subject: string,
): { readonly infraEnvId: string; readonly hostId: string; readonly verb: string } | undefined {
  const [agent, version, infraEnvId, hostId, verb, ...rest] = subject.split('.');
  if (agent !== 'agent' || version !== 'v1' || !infraEnvId || !hostId || !verb || rest.length > 0) return undefined;
  return { infraEnvId, hostId, verb };
}

/** Header names of bus messages: caller, owner, and command id. Headers never contain secrets. */
export const HEADERS = {
  commandId: 'muster-command-id',
  unusedUpTo: 'muster-command-id-unused-up-to',
  actor: 'muster-actor',
  org: 'muster-org',
  user: 'muster-user',
  sourceAddress: 'muster-source-address',
  requestId: 'muster-request-id',
  correlationId: 'muster-correlation-id',
  causationId: 'muster-causation-id',
} as const;
