import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import type { RecordedMusterEvent } from '@muster/contracts';
import {
  evaluateClusterOutcomes,
  evaluateHostOutcomes,
  FACTS_SHAPES,
  FactsView,
  outcomeDecider,
  parseSubject,
  type RecordedOutcomes,
} from '@muster/evaluation';
import { keptEntries, SavedStates, viewFold } from '@muster/event-sourcing';
import {
  DEFAULT_FLAP_POLICY,
  type Outcome,
  rememberOutcomes,
  type RulesPolicy,
  SERVICE_DEFAULTS,
} from '@muster/validation-rules';
import {
  type Bench,
  type BenchBed,
  count,
  kibibytes,
  type Measurement,
  milliseconds,
  percentile,
} from '../measurement';
import { ClusterFixture } from './cluster-fixture';

type Subject = ReturnType<FactsView['observe']>[number];

/** The validation service without store and bus: applies an event, evaluates dependent subjects, keeps the outcomes. */
export class EvaluatedView {
  private readonly view = new FactsView();
  private readonly outcomes = new Map<Subject, RecordedOutcomes>();
  private atMs = 0;

  constructor(private readonly policy: RulesPolicy) {}

  /** Applies the event without an evaluation. */
  observe(event: RecordedMusterEvent): readonly Subject[] {
    return this.view.observe(event);
  }

  /** Applies the event. Returns the number of evaluated subjects, including those with a changed connectivity group. */
  evaluate(event: RecordedMusterEvent): number {
    return this.evaluateAll(this.view.observe(event));
  }

  evaluateAll(subjects: readonly Subject[]): number {
    const due = [...subjects];
    let evaluated = 0;
    // Far apart, so that no validation flaps.
    this.atMs += DEFAULT_FLAP_POLICY.windowMs;
    for (let subject = due.shift(); subject !== undefined; subject = due.shift()) {
      evaluated += 1;
      due.push(...this.evaluateOne(subject));
    }
    return evaluated;
  }

  /** Returns the hosts whose connectivity group changed. */
  private evaluateOne(subject: Subject): readonly Subject[] {
    const before = this.outcomes.get(subject) ?? outcomeDecider.initialState();
    const command = this.commandFor(subject, before);
    const decision = command && outcomeDecider.decide(command, before);
    if (decision?.kind !== 'accepted') return [];
    const [event] = decision.events;
    if (!event) return [];
    this.outcomes.set(subject, outcomeDecider.evolve(before, event));
    if (event.type !== 'ClusterOutcomesChanged' || !event.data.connectivityGroups) return [];
    return this.view.observeGroups(event.data.clusterId, event.data.connectivityGroups);
  }

  private commandFor(subject: Subject, recorded: RecordedOutcomes) {
    const at = new Date(this.atMs).toISOString();
    const remember = (found: readonly Outcome[], isDamped: (ruleId: string) => boolean): readonly Outcome[] =>
      rememberOutcomes(recorded, found, {
        atMs: this.atMs,
        policy: DEFAULT_FLAP_POLICY,
        watch: new Map(),
        isDamped,
      }).outcomes;
    const { kind, id } = parseSubject(subject);
    if (kind === 'cluster') {
      const cluster = this.view.cluster(id);
      return cluster && evaluateClusterOutcomes(cluster, this.view, this.policy, remember, at);
    }
    const host = this.view.host(id);
    return host && evaluateHostOutcomes(host, this.view, this.policy, remember, at);
  }
}

const CLUSTER_SIZES = [3, 100, 500, 1_000];
const CLUSTER_COUNTS = [1, 100, 1_000, 10_000];
const HOSTS_OF_MANY = 3;
const SAMPLES = 40;
/** Number of changes that re-evaluate every host. */
const WIDE_SAMPLES = 6;
const WARM_UP = 10;
/** Percentage of existing edges in a patchy network. */
const PATCHY_PERCENT = 70;

const POLICY = SERVICE_DEFAULTS;

interface Change {
  readonly what: string;
  /** The budget for the largest cluster. */
  readonly budget?: string;
  readonly isWide?: boolean;
  readonly isPatchy?: boolean;
  /** Every second host is silent. */
  readonly isHalfSilent?: boolean;
  /** The last of the events is measured. `turn` alternates, so that each one is a change. */
  readonly of: (story: ClusterFixture, host: number, turn: boolean) => readonly RecordedMusterEvent[];
}

const isReached = (): boolean => true;
/** Symmetric, and the same in every run. */
const isReachedInPatches = (from: number, to: number): boolean =>
  (Math.imul(Math.min(from, to) + 1, 40_503) ^ Math.imul(Math.max(from, to) + 1, 9_973_001)) % 100 < PATCHY_PERCENT;

const INVENTORY: Change = {
  what: 'hardware of a host',
  of: (story, host, turn) => [story.inventory(host, turn ? 4 : 64)],
};
const CHANGES: readonly Change[] = [
  INVENTORY,
  { what: 'host silent or back', of: (story, host, turn) => [story.silence(host, turn)] },
  { what: 'VIP', of: (story, _, turn) => [story.apiVip(turn ? '10.0.0.7' : '10.0.0.5')] },
  {
    what: 'edge to one host lost or back',
    of: (story, host, turn) => [story.reachOfOne(host, (host + 1) % story.hosts, !turn)],
  },
  {
    what: 'edges to all hosts reported for the first time',
    of: (story, host) => [story.reachForgotten(host), story.reachOfAll(host, isReached)],
  },
  {
    what: 'edge to one host, half of the hosts silent',
    isHalfSilent: true,
    of: (story, host, turn) => {
      const connected = host - (host % 2);
      return [story.reachOfOne(connected, connected < 2 ? connected + 2 : connected - 2, turn)];
    },
  },
  {
    what: 'edge to one host, patchy network',
    budget: '< 20 ms',
    isPatchy: true,
    of: (story, host, turn) => [story.reachOfOne(host, (host + 1) % story.hosts, turn)],
  },
  {
    what: 'version, which affects all hosts',
    budget: '< 150 ms',
    isWide: true,
    of: (story, _, turn) => [story.version(turn ? '4.19.1' : '4.18.3')],
  },
];

/** Measures one event until all dependent subjects are evaluated: fold, evaluate, compare; without store and bus. */
export const costPerChange: Bench = {
  name: 'evaluation',
  about: 'the cost of an evaluation: clusters of 3 to 1,000 hosts, 1 to 10,000 clusters',
  run: async (bed) => {
    const sizes = bed.isQuick ? CLUSTER_SIZES.slice(0, 2) : CLUSTER_SIZES;
    const counts = bed.isQuick ? CLUSTER_COUNTS.slice(0, 2) : CLUSTER_COUNTS;
    const measurements: Measurement[] = [];
    for (const change of CHANGES) {
      bed.tell(`evaluation: ${change.what}`);
      const results = sizes.map((hosts) => measure(change, hosts, 1));
      measurements.push(
        toMeasurement(`evaluation: ${change.what}; cluster of ${inRow(sizes)} hosts`, results, change.budget),
      );
    }
    const results = counts.map((clusters) => measure(INVENTORY, HOSTS_OF_MANY, clusters));
    const what = `evaluation: ${INVENTORY.what}; ${inRow(counts)} clusters of ${HOSTS_OF_MANY} hosts`;
    bed.tell('evaluation: start with a large cluster');
    return [...measurements, toMeasurement(what, results), await start(bed, Math.max(...sizes))];
  },
};

interface Result {
  readonly p50Ms: number;
  readonly maxMs: number;
  readonly evaluated: number;
}

function measure(change: Change, hosts: number, clusters: number): Result {
  const view = new EvaluatedView(POLICY);
  const reaches = change.isPatchy ? isReachedInPatches : isReached;
  const stories = Array.from({ length: clusters }, (_, cluster) => new ClusterFixture(cluster, hosts));
  for (const story of stories) {
    const events = [...story.beginning(reaches), ...(change.isHalfSilent ? story.halfSilent() : [])];
    view.evaluateAll([...new Set(events.flatMap((event) => view.observe(event)))]);
  }
  const times: number[] = [];
  let evaluated = 0;
  const samples = change.isWide ? WIDE_SAMPLES : SAMPLES;
  for (let sample = -WARM_UP; sample < samples; sample += 1) {
    const story = stories[Math.abs(sample * 7919) % stories.length] ?? new ClusterFixture(0, hosts);
    const events = change.of(story, Math.abs(sample >> 1) % hosts, sample % 2 !== 0);
    for (const event of events.slice(0, -1)) view.evaluate(event);
    const [last] = events.slice(-1);
    if (!last) continue;
    const startedMs = performance.now();
    const now = view.evaluate(last);
    const ms = performance.now() - startedMs;
    if (sample < 0) continue;
    times.push(ms);
    evaluated = Math.max(evaluated, now);
  }
  return { p50Ms: percentile(times, 0.5), maxMs: Math.max(...times), evaluated };
}

/** Loads an open cluster as a start does. During the longest turn of the event loop, a process answers no request. */
async function start(bed: BenchBed, hosts: number): Promise<Measurement> {
  const file = join(bed.directory('large-cluster'), 'state.sqlite');
  const open = async () => {
    const onError = (error: Error): never => {
      throw error;
    };
    const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), onError);
    const consumer = await states.open('bench', [viewFold('bench', 1, FACTS_SHAPES)]);
    return { states, consumer, view: new FactsView(keptEntries(consumer)) };
  };
  const before = await open();
  for (const event of new ClusterFixture(0, hosts).beginning(isReached)) before.view.observe(event);
  before.consumer.reached('bench', 0, undefined);
  await before.states.close();
  const { states, consumer } = await open();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedMs = performance.now();
  await consumer.loadOpen();
  const ms = performance.now() - startedMs;
  delay.disable();
  await states.close();
  return {
    what: `evaluation: start with an open cluster of ${count(hosts)} hosts, from the saved state`,
    measured: `${milliseconds(ms)}, longest turn ${milliseconds(delay.max / 1e6)}; ${kibibytes(statSync(file).size / hosts)} per host`,
    budget: '',
  };
}

const inRow = (numbers: readonly number[]): string => numbers.map(count).join(' / ');

const toMeasurement = (what: string, results: readonly Result[], budget = ''): Measurement => ({
  what,
  measured: `p50 ${results.map(({ p50Ms }) => milliseconds(p50Ms)).join(' / ')}, worst ${milliseconds(
    Math.max(...results.map(({ maxMs }) => maxMs)),
  )}; evaluated ${inRow(results.map(({ evaluated }) => evaluated))}`,
  budget,
});
