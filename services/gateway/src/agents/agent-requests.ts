import { Nullable, type Static, STEP_TYPES, StringEnum } from '@muster/assisted-api';
import { type AgentVerb, type NextStepsResponse, type Plain, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { CLOCK, type InputOf, keptJson, type Method, type OutputOf } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { objectAt, parseJson } from '@muster/schema';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { LastSeen } from '../auth/last-seen';
import { Commands } from '../bus/commands';
import { type ImageRequest, ImageUrls, InfraEnvViews } from '../views/infra-env-views';
import { GROUPED_POLLS_MAX, GROUPING_MS_MAX, Groups } from './held-polls';

const V2_STEP = Type.Object(
  {
    step_type: StringEnum<string>(STEP_TYPES),
    step_id: Type.Optional(Type.String()),
    args: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'step' },
);
type V2Step = Static<typeof V2_STEP>;

/**
 * `steps` of the v2 API. `next_instruction_seconds` is absent when it is 0; `instructions` is null when there are none.
 */
export const V2_STEPS = Type.Object(
  {
    next_instruction_seconds: Type.Optional(Type.Integer()),
    post_step_action: StringEnum<string>(['exit', 'continue']),
    instructions: Nullable(Type.Array(V2_STEP)),
  },
  { title: 'steps' },
);
type V2Steps = Static<typeof V2_STEPS>;

export function presentSteps(response: Plain<NextStepsResponse>): V2Steps {
  const { instructions, nextInstructionSeconds: seconds, postStepAction } = response;
  return {
    ...(seconds === 0 ? {} : { next_instruction_seconds: seconds }),
    post_step_action: postStepAction || 'continue',
    instructions: instructions.length === 0 ? null : instructions.map(presentStep),
  };
}

const presentStep = ({ stepType, stepId, args }: Plain<NextStepsResponse>['instructions'][number]): V2Step => ({
  step_type: stepType,
  ...(stepId === '' ? {} : { step_id: stepId }),
  ...(args.length === 0 ? {} : { args }),
});

/**
 * Returns the JSON of `steps`. The registration service keeps the JSON of a long argument by the id of its step: the other hosts of
 * a cluster, whose escaping took a tenth of the time of a poll.
 */
export function writeSteps(response: Plain<NextStepsResponse>): Buffer {
  const steps = presentSteps(response);
  const written = keptJson(response);
  if (!written || !steps.instructions) return Buffer.from(JSON.stringify(steps));
  const texts = steps.instructions.map((step) => writeStep(step, written.get(step.step_id ?? '')));
  const begin = JSON.stringify({ ...steps, instructions: undefined }).slice(0, -1);
  return Buffer.from(`${begin},"instructions":[${texts.join(',')}]}`);
}

const writeStep = (step: V2Step, argument: string | undefined): string =>
  argument === undefined
    ? JSON.stringify(step)
    : `${JSON.stringify({ ...step, args: undefined }).slice(0, -1)},"args":[${argument}]}`;

/**
 * The methods that agents may call, by the verb of the bus subject. The HTTP endpoint and the NATS endpoint use this
 * table.
 */
export const AGENT_METHODS = {
  register: RegistrationService.method.registerHost,
  next_steps: RegistrationService.method.nextSteps,
  reply_to_step: RegistrationService.method.replyToStep,
  report_progress: RegistrationService.method.reportHostProgress,
} as const satisfies { readonly [verb in Exclude<AgentVerb, 'nudge'>]: Method };

export type RequestVerb = keyof typeof AGENT_METHODS;

/**
 * Maximum number of concurrent writes of agents. They share one thread, so more of them would not end earlier, but each turn of the
 * event loop would take longer, and users would wait longer.
 */
export const CONCURRENT_AGENT_WRITES_MAX = 32;

/** Maximum number of waiting tasks, and of the characters of their requests. */
interface WaitingLimit {
  readonly tasks: number;
  readonly characters: number;
}

interface WaitingLimits {
  readonly member: WaitingLimit;
  readonly group: WaitingLimit;
  readonly all: WaitingLimit;
}

/**
 * Limits of the waiting writes of one host (member), of one infra-env (group) and of all hosts. All hosts of a large cluster may restart
 * at the same time, so 10,000 hosts of one infra-env may have two writes each. A host has a few writes, and two bodies of the
 * maximum size.
 */
export const WAITING_WRITES: WaitingLimits = {
  member: { tasks: 32, characters: 8 * 1024 * 1024 },
  group: { tasks: 20_000, characters: 192 * 1024 * 1024 },
  all: { tasks: 30_000, characters: 256 * 1024 * 1024 },
};

/** The sender of a task, and the length of its request. */
interface Sender {
  readonly group: string;
  readonly member: string;
  readonly characters: number;
}

/**
 * Limits the concurrent tasks and the waiting ones. The waiting tasks of one group start in their order. The groups take turns, so
 * that many tasks of one group delay a task of another group by one task only.
 */
export class FairLimit {
  private running = 0;
  /** Group → functions that start its waiting tasks. The first group is the next one. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** Scope → its waiting tasks. */
  private readonly loads = new Map<string, WaitingLimit>();

  constructor(
    private readonly max: number,
    private readonly limits: WaitingLimits = WAITING_WRITES,
  ) {}

  /**
   * Returns the result of the task.
   * @throws RefusalError `busy` when too many tasks wait
   */
  run<Result>(sender: Sender, task: () => Promise<Result>): Promise<Result> {
    if (this.running < this.max) return this.start(task);
    const { group, characters } = sender;
    const scopes = this.scopesOf(sender);
    for (const [scope, limit, of] of scopes) {
      const load = this.loads.get(scope);
      if (load && (load.tasks >= limit.tasks || load.characters + characters > limit.characters))
        return Promise.reject(
          new RefusalError({ code: 'busy', reason: `Too many requests ${of} wait. Send the request again later.` }),
        );
    }
    for (const [scope] of scopes) this.count(scope, 1, characters);
    return new Promise((resolve) => {
      const starts = this.waiting.get(group) ?? [];
      starts.push(() => {
        for (const [scope] of scopes) this.count(scope, -1, -characters);
        resolve(this.start(task));
      });
      this.waiting.set(group, starts);
    });
  }

  private scopesOf({ group, member }: Sender): readonly (readonly [scope: string, limit: WaitingLimit, of: string])[] {
    return [
      [`${group} ${member}`, this.limits.member, 'of this host'],
      [group, this.limits.group, 'of this infra-env'],
      ['', this.limits.all, 'of all hosts'],
    ];
  }

  private count(scope: string, tasks: number, characters: number): void {
    const load = this.loads.get(scope);
    const after = { tasks: (load?.tasks ?? 0) + tasks, characters: (load?.characters ?? 0) + characters };
    if (after.tasks === 0) this.loads.delete(scope);
    else this.loads.set(scope, after);
  }

  private async start<Result>(task: () => Promise<Result>): Promise<Result> {
    this.running += 1;
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.startNext();
    }
  }

  private startNext(): void {
    for (const [group, starts] of this.waiting) {
      this.waiting.delete(group);
      const start = starts.shift();
      if (starts.length > 0) this.waiting.set(group, starts);
      start?.();
      return;
    }
  }
}

/**
 * A host that was not seen for this time, in milliseconds, polls at the interval of a waiting host. Hosts that could have new steps at
 * any moment poll more often.
 */
const WAITING_HOST_MS_MIN = 30_000;

type NextSteps = (typeof AGENT_METHODS)['next_steps'];

const BOOT_ARTIFACTS_STEP = 'download-boot-artifacts';

/** Sends the requests of agents to the service that decides. The HTTP endpoint and the NATS endpoint use it. */
@Injectable()
export class AgentRequests implements BeforeApplicationShutdown {
  private readonly writes = new FairLimit(CONCURRENT_AGENT_WRITES_MAX);
  private readonly groups = new Groups(GROUPED_POLLS_MAX, GROUPING_MS_MAX);

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly lastSeen: LastSeen,
    private readonly commands: Commands,
    private readonly infraEnvs: InfraEnvViews,
    private readonly urls: ImageUrls,
  ) {}

  // The HTTP server stops afterwards, and waits for the answers.
  beforeApplicationShutdown(): void {
    this.groups.start();
  }

  /**
   * Returns the next steps. The steps of the service do not contain the URLs of the boot artifacts. A poll of a waiting host joins
   * others. Its agent polls again an interval after the answer, so the hosts of a group soon poll at the same time.
   * @throws RefusalError
   */
  async nextSteps(
    input: InputOf<NextSteps> & { readonly infraEnvId: string; readonly hostId: string },
    context: CommandContext,
    request?: ImageRequest,
  ): Promise<OutputOf<NextSteps>> {
    const seenMs = this.lastSeen.seenMs(input.infraEnvId, input.hostId);
    if (seenMs !== undefined && this.clock.nowMs() - seenMs >= WAITING_HOST_MS_MIN) await this.groups.join();
    const answer = await this.send('next_steps', input, context);
    const needsUrls = ({ stepType }: { readonly stepType: string }): boolean => stepType === BOOT_ARTIFACTS_STEP;
    if (!answer.instructions.some(needsUrls)) return answer;
    const { initrdUrl, kernelUrl, rootfsUrl } = await this.urls.networkBoot(
      await this.infraEnvs.document(input.infraEnvId),
      request,
    );
    const withUrls = (args: readonly string[]): string[] => [
      JSON.stringify({
        ...objectAt(parseJson(args[0] ?? '')),
        initrd_url: initrdUrl,
        kernel_url: kernelUrl,
        rootfs_url: rootfsUrl,
      }),
    ];
    return {
      ...answer,
      instructions: answer.instructions.map((step) =>
        needsUrls(step) ? { ...step, args: withUrls(step.args) } : step,
      ),
    };
  }

  /** @throws RefusalError */
  async send<Verb extends RequestVerb>(
    verb: Verb,
    input: InputOf<(typeof AGENT_METHODS)[Verb]> & { readonly infraEnvId: string; readonly hostId: string },
    context: CommandContext,
  ): Promise<OutputOf<(typeof AGENT_METHODS)[Verb]>> {
    const asAgent = { ...context, actor: `agent:${input.hostId}` };
    const { infraEnvId, hostId } = input;
    const send = () => this.commands.send(AGENT_METHODS[verb], input, asAgent);
    const sender = { group: infraEnvId, member: hostId, characters: charactersIn(input) };
    const answer = await (verb === 'next_steps' ? send() : this.writes.run(sender, send));
    // Recorded only after the command succeeded, so that invented host ids use no memory.
    const clockSeconds = 'timestampSeconds' in input ? Number(input.timestampSeconds) : 0;
    this.lastSeen.note(infraEnvId, hostId, this.clock.nowMs(), clockSeconds);
    return answer;
  }
}

/** The texts of a request are almost all of its size. */
const charactersIn = (input: object): number =>
  Object.values(input).reduce((sum: number, value: unknown) => sum + (typeof value === 'string' ? value.length : 0), 0);
