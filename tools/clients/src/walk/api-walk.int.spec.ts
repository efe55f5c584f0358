import fc from 'fast-check';
import { runStep } from '@muster/service-agent';
import { CLUSTER_CALLS } from './cluster-calls.fixture.spec';
import { HOST_CALLS } from './host-calls.fixture.spec';
import { type Gate, type Ids, PULL_SECRET, type WalkCall } from './walk-call.fixture.spec';
import {
  expectCleanAnswer,
  expectGapless,
  expectListedTransitions,
  expectListsAgree,
  expectWholeEventLists,
} from './invariants.fixture.spec';
import { openWalkWorld, type WalkWorld } from './walk-world.fixture.spec';

const WALKS = Number(process.env.MUSTER_PROPERTY_RUNS ?? 12);
/**
 * Time after which no further walk starts. `MUSTER_WALK_MS` extends it. A walk that has started goes to its end: polls of a ready cluster
 * are held for up to 20 s each, so one walk may take longer.
 */
const WALKS_MS = Number(process.env.MUSTER_WALK_MS ?? 25_000);
const TIMEOUT_MS = 900_000;
const STEPS_MAX = 60;
/** Maximum number of instruction rounds of an agent. */
const ROUNDS = 3;
/** Maximum number of polls of an installation. An unfinished one is included in the walk. */
const LOOKS_MAX = 60;
const PATIENT_LOOKS_MAX = 1_000;
const LOOK_AGAIN_MS = 20;
const ONWARD = [
  'Starting installation',
  'Installing',
  'Waiting for bootkube',
  'Writing image to disk',
  'Rebooting',
  'Joined',
  'Done',
];

/** Resources that the walk has created. An unset id refers to a resource that does not exist. */
interface Trail {
  readonly clusters: string[];
  readonly infraEnvs: string[];
}
type Step = fc.AsyncCommand<Trail, WalkWorld>;

const NOBODY = '00000000-0000-4000-8000-000000000000';
let calls = 0;

function idsOf(trail: Trail, world: WalkWorld, a: number, b: number): Ids {
  const at = (ids: readonly string[], index: number): string => ids[index % Math.max(1, ids.length)] ?? NOBODY;
  return {
    cluster: at(trail.clusters, a),
    otherCluster: at(trail.clusters, a + 1),
    infraEnv: at(trail.infraEnvs, b),
    host: world.machine(a + b).hostId,
  };
}

const make = (name: string, run: (trail: Trail, world: WalkWorld) => Promise<void>): Step => ({
  check: () => true,
  run,
  toString: () => name,
});

/** One call, with the status of its resource before and after it compared with the tables. */
function callStep(call: WalkCall, a: number, b: number, value: number): Step {
  return make(`${call.name}(${a}, ${b}, ${value})`, async (trail, world) => {
    const ids = idsOf(trail, world, a, b);
    const path = call.path(ids, value);
    const what = `${call.name}: ${call.method} ${path} ${JSON.stringify(call.body?.(ids, value)) ?? ''}`;
    const position = await world.muster.platform.eventStore.head();
    const before = call.gate && (await statusOf(call.gate, ids, world));
    const answer = await (call.upload
      ? world.upload(path, call.upload(ids, value))
      : world.send(call.method, path, call.body?.(ids, value)));
    calls += 1;
    expectCleanAnswer(what, answer);
    if (call.makes && answer.status === 201) trail.clusters.push((JSON.parse(answer.text) as { id: string }).id);
    if (call.gate && before !== undefined)
      await expectGateKept(what, call.gate, before, position, answer.status, answer.text, ids, world);
  });
}

async function statusOf(gate: Gate, ids: Ids, world: WalkWorld): Promise<string | undefined> {
  const path = gate.of === 'cluster' ? `/clusters/${ids.cluster}` : `/infra-envs/${ids.infraEnv}/hosts/${ids.host}`;
  const { status, text } = await world.send('GET', path);
  return status === 200 ? (JSON.parse(text) as { status: string }).status : undefined;
}

async function expectGateKept(
  what: string,
  gate: Gate,
  before: string,
  position: number,
  status: number,
  text: string,
  ids: Ids,
  world: WalkWorld,
): Promise<void> {
  const id = gate.of === 'cluster' ? ids.cluster : ids.host;
  const since = (await world.eventsAfter(position)).filter(
    ({ streamId }) => /^(cluster|host)-/.test(streamId) && streamId.includes(id),
  );
  // Reactions may change the status concurrently, so the call may have been decided in any status since then.
  const passed = since.flatMap(({ type, data }) =>
    /^(Cluster|Host)EnteredStatus$/.test(type) ? [String(data['from']), String(data['status'])] : [],
  );
  const possible = [before, ...passed];
  // A call that requests the present state may be accepted in every status, because it changes nothing.
  if (status < 300 && since.length > 0 && !possible.some((one) => gate.statuses.includes(one)))
    throw new Error(`${what} was accepted although the ${gate.of} was ${before}.`);
  const isRefusedForStatus =
    status >= 400 && /^The cluster is [a-z-]+:/.test((JSON.parse(text) as { reason?: string }).reason ?? '');
  if (gate.isStatusAlone && isRefusedForStatus && possible.every((one) => gate.statuses.includes(one)))
    throw new Error(`${what} was refused for its status although the ${gate.of} was ${before}: ${text}`);
}

const registerCluster = (value: number): Step =>
  make(`register cluster(${value})`, async (trail, world) => {
    const answer = await world.send('POST', '/clusters', {
      name: `walk-${trail.clusters.length}`,
      openshift_version: value % 4 === 3 ? '4.99' : '4.18',
      base_dns_domain: 'example.com',
      control_plane_count: value % 2 === 0 ? 1 : 3,
      pull_secret: value % 5 === 4 ? 'none' : PULL_SECRET,
    });
    expectCleanAnswer('register cluster', answer);
    if (answer.status === 201) trail.clusters.push((JSON.parse(answer.text) as { id: string }).id);
  });

const registerInfraEnv = (value: number): Step =>
  make(`register infra-env(${value})`, async (trail, world) => {
    const answer = await world.send('POST', '/infra-envs', {
      name: `walk-${trail.infraEnvs.length}`,
      openshift_version: '4.18',
      pull_secret: PULL_SECRET,
      cluster_id: value % 3 === 2 ? undefined : (trail.clusters.at(-1) ?? NOBODY),
    });
    expectCleanAnswer('register infra-env', answer);
    if (answer.status === 201) trail.infraEnvs.push((JSON.parse(answer.text) as { id: string }).id);
  });

/** Registers a machine and runs its steps for some rounds. */
const liveOn = (a: number, b: number): Step =>
  make(`live on(${a}, ${b})`, async (trail, world) => {
    const ids = idsOf(trail, world, a, b);
    const path = `/infra-envs/${ids.infraEnv}/hosts/${ids.host}`;
    const registered = await world.send('POST', `/infra-envs/${ids.infraEnv}/hosts`, {
      host_id: ids.host,
      discovery_agent_version: 'quay.io/muster/agent:latest',
    });
    expectCleanAnswer('an agent registers', registered);
    if (registered.status === 201) await work(world, path, world.machine(a + b));
  });

const workOn = (a: number, b: number): Step =>
  make(`work on(${a}, ${b})`, async (trail, world) => {
    const ids = idsOf(trail, world, a, b);
    await work(world, `/infra-envs/${ids.infraEnv}/hosts/${ids.host}`, world.machine(a + b));
  });

async function work(
  world: WalkWorld,
  path: string,
  machine: ReturnType<WalkWorld['machine']>,
  rounds = ROUNDS,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const answer = await world.send('GET', `${path}/instructions`);
    expectCleanAnswer('an agent asks for steps', answer);
    if (answer.status !== 200) return;
    const { instructions } = JSON.parse(answer.text) as {
      instructions: { step_type: string; step_id: string; args?: string[] }[] | null;
    };
    for (const { step_type, step_id, args = [] } of instructions ?? []) {
      // The installer would write a disk and reboot. The walk includes its progress as separate calls.
      if (step_type === 'install') continue;
      const { exitCode, output, error } = await runStep(machine, step_type, args, new AbortController().signal);
      const reply = { step_type, step_id, exit_code: exitCode, output, error };
      expectCleanAnswer(`an agent replies to ${step_type}`, await world.send('POST', `${path}/instructions`, reply));
      calls += 1;
    }
  }
}

/** Creates a single-node cluster and installs it as far as `value` determines. The next calls apply to it. */
const installation = (value: number, looksMax = LOOKS_MAX): Step =>
  make(`installation(${value})`, async (trail, world) => {
    await registerCluster(0).run(trail, world);
    await registerInfraEnv(0).run(trail, world);
    const [clusterId, infraEnvId] = [trail.clusters.at(-1) ?? NOBODY, trail.infraEnvs.at(-1) ?? NOBODY];
    const machine = world.machine(value);
    const hosts = `/infra-envs/${infraEnvId}/hosts`;
    const path = `${hosts}/${machine.hostId}`;
    const body = { host_id: machine.hostId, discovery_agent_version: 'quay.io/muster/agent:latest' };
    expectCleanAnswer('an agent registers', await world.send('POST', hosts, body));
    await workUntil(world, path, machine, `/clusters/${clusterId}`, 'ready', looksMax);
    expectCleanAnswer('install', await world.send('POST', `/clusters/${clusterId}/actions/install`));
    await workUntil(world, path, machine, path, 'installing', looksMax);
    for (const current_stage of ONWARD.slice(0, value % (ONWARD.length + 1)))
      expectCleanAnswer(current_stage, await world.send('PUT', `${path}/progress`, { current_stage }));
  });

async function workUntil(
  world: WalkWorld,
  path: string,
  machine: ReturnType<WalkWorld['machine']>,
  of: string,
  wanted: string,
  looksMax: number,
): Promise<void> {
  for (let look = 0; look < looksMax; look += 1) {
    await work(world, path, machine, 1);
    const { status } = await world.read<{ status?: string }>(of);
    if (status === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

const small = fc.nat({ max: 2 });
const steps: fc.Arbitrary<Step>[] = [
  ...[...CLUSTER_CALLS, ...HOST_CALLS].map((call) =>
    fc.tuple(small, small, fc.nat({ max: 24 })).map(([a, b, value]) => callStep(call, a, b, value)),
  ),
  ...Array.from({ length: 4 }, () => fc.nat({ max: 20 }).map(registerCluster)),
  ...Array.from({ length: 5 }, () => fc.nat({ max: 20 }).map(registerInfraEnv)),
  ...Array.from({ length: 10 }, () => fc.tuple(small, small).map(([a, b]) => liveOn(a, b))),
  ...Array.from({ length: 5 }, () => fc.tuple(small, small).map(([a, b]) => workOn(a, b))),
  ...Array.from({ length: 4 }, () => fc.nat({ max: 20 }).map(installation)),
];

describe('any sequence of calls of the v2 API', () => {
  let world: WalkWorld;
  const revisions = new Map<string, number>();
  let seen = -1;
  beforeAll(async () => {
    world = await openWalkWorld();
  });
  afterAll(() => world.close());

  it(
    'causes no internal error, follows the tables of states, and gives consistent lists',
    async () => {
      const entered = new Set<string>();
      const endsAtMs = performance.now() + WALKS_MS;
      let walked = 0;
      await fc.assert(
        fc.asyncProperty(fc.commands(steps, { maxCommands: STEPS_MAX, size: 'max' }), async (walk) => {
          if (walked > 0 && performance.now() > endsAtMs) return;
          walked += 1;
          const trail: Trail = { clusters: [], infraEnvs: [] };
          const opening: Step[] = [registerCluster(0), registerInfraEnv(0)];
          // The first walk installs in any case, however long the preparation takes on a busy machine.
          if (entered.size === 0) opening.push(installation(ONWARD.length, PATIENT_LOOKS_MAX));
          for (const step of opening) await step.run(trail, world);
          await fc.asyncModelRun(() => ({ model: trail, real: world }), walk);
          const events = await world.eventsAfter(seen);
          seen = events.at(-1)?.position ?? seen;
          expectListedTransitions(events);
          expectGapless(events, revisions);
          for (const { type, data } of events)
            if (type.endsWith('EnteredStatus')) entered.add(`${type} ${String(data['status'])}`);
          await expectListsAgree(world, trail.clusters, trail.infraEnvs);
          await expectWholeEventLists(world, trail.clusters);
          expect(world.errors.splice(0)).toEqual([]);
          for (const id of trail.infraEnvs) await world.send('DELETE', `/infra-envs/${id}`);
          for (const id of trail.clusters) await world.send('DELETE', `/clusters/${id}`);
        }),
        { numRuns: WALKS, endOnFailure: true },
      );
      // Otherwise the walks had no effect.
      expect(calls).toBeGreaterThan(walked);
      expect([...entered]).toEqual(
        expect.arrayContaining(['ClusterEnteredStatus installing', 'HostEnteredStatus installing-in-progress']),
      );
      if (process.env.MUSTER_WALK_TELL) console.log(`${calls} calls; ${[...entered].sort().join(', ')}`);
    },
    TIMEOUT_MS,
  );
});
