import type { HostConditions as HostConditionsMessage, Plain } from '@muster/contracts';
import { keptByObject } from '@muster/schema';
import { clusterOf, hardwareOf, type HostFacts, isBound } from '../facts/host.facts';
import { type IgnoredRules, NEVER_IGNORABLE_HOST_RULES, isUnblocked } from '../rule/overrides';
import type { Outcomes } from '../rule/evaluate-rules';
import { failingIds, type Outcome } from '../rule/rule';
import { installationDiskTest } from './disk.rules';
import type { HostBlocking, HostRule } from './host-rule';
import { completeHostOutcomes, HOST_RULES } from './host-rules.table';

/** The conditions that are stored with the outcomes of a host. */
export type HostConditions = Plain<HostConditionsMessage>;

/** Ids of the outcomes that block a host, sorted. They are computed from the outcomes and are not stored. */
export interface HostBlockingIds {
  readonly failingIds: string[];
  /** Failing rules of the minimum hardware. */
  readonly hardwareIds: string[];
  readonly inputIds: string[];
  readonly preparationIds: string[];
  /** Ids of pending outcomes and of outcomes with an error. */
  readonly pendingIds: string[];
}

/** Blocking kinds that prevent `known`, in addition to those with a separate condition. */
const SUFFICIENT_GATES: readonly HostBlocking[] = ['known', 'disk-speed'];
const SAVE_PARTITION_ARGUMENTS = ['--save-partlabel', '--save-partindex'];

const RULES: ReadonlyMap<string, HostRule> = new Map(HOST_RULES.map((rule) => [rule.id, rule]));
/** The rules that block a host that is not bound to a cluster. */
const UNBOUND_RULES: ReadonlyMap<string, HostRule> = new Map(
  [...RULES].filter(([, { blocksUnbound }]) => blocksUnbound),
);
const rulesOf = (isBoundHost: boolean): ReadonlyMap<string, HostRule> => (isBoundHost ? RULES : UNBOUND_RULES);

/**
 * Returns the conditions that the decision table of the host reads, from its outcomes. Ignored rules count as passed.
 */
export function hostConditions(facts: HostFacts, outcomes: readonly Outcome[]): HostConditions {
  const { ignoredHostRules } = clusterOf(facts);
  const rules = rulesOf(isBound(facts));
  const closed = new Set<HostBlocking>();
  for (const outcome of outcomes) {
    const rule = rules.get(outcome.id);
    if (rule && !isUnblocked(outcome, rule, ignoredHostRules, NEVER_IGNORABLE_HOST_RULES)) closed.add(rule.gate);
  }
  const gatePasses = (...gates: readonly HostBlocking[]): boolean => !gates.some((gate) => closed.has(gate));
  return {
    connected: gatePasses('connection'),
    mediaConnected: gatePasses('media'),
    inventory: inventoryCondition(facts),
    minHardware: gatePasses('hardware'),
    machineCidrDefined: gatePasses('input'),
    vsphereDiskUuid: gatePasses('disk-uuid'),
    sufficientForInstall: gatePasses(...SUFFICIENT_GATES),
    diskSpeed: stepCondition(gatePasses('disk-speed'), isDiskSpeedSettled(facts)),
    images: stepCondition(gatePasses('images'), areImagesSettled(facts)),
  };
}

const NO_INVENTORY: HostConditions = {
  connected: true,
  mediaConnected: true,
  inventory: 'none',
  minHardware: false,
  machineCidrDefined: false,
  vsphereDiskUuid: false,
  sufficientForInstall: false,
  diskSpeed: 'failed',
  images: 'unknown',
};

/** Returns the conditions of a host before it has reported anything. They are never stored. */
export const initialHostConditions = (isBoundHost: boolean): HostConditions =>
  isBoundHost
    ? NO_INVENTORY
    : { ...NO_INVENTORY, machineCidrDefined: true, vsphereDiskUuid: true, diskSpeed: 'unknown' };

/** Returns the ids of all outcomes that fail or block the host. Failing rules that do not block are included. */
export function hostBlockingIds(
  outcomes: readonly Outcome[],
  ignored: IgnoredRules,
  isBoundHost: boolean,
): HostBlockingIds {
  const rules = rulesOf(isBoundHost);
  const ids: HostBlockingIds = {
    failingIds: failingIds(outcomes),
    hardwareIds: [],
    inputIds: [],
    preparationIds: [],
    pendingIds: [],
  };
  for (const outcome of outcomes) {
    const { id, status } = outcome;
    const rule = rules.get(id);
    const isFailing = status === 'failure';
    if (!rule || (!isFailing && isUnblocked(outcome, rule, ignored, NEVER_IGNORABLE_HOST_RULES))) continue;
    const { gate } = rule;
    if (gate === 'hardware' && isFailing) ids.hardwareIds.push(id);
    if (gate === 'input') ids.inputIds.push(id);
    if (gate === 'disk-speed' || gate === 'images') ids.preparationIds.push(id);
    if (gate !== 'none' && !isFailing) ids.pendingIds.push(id);
  }
  for (const found of Object.values(ids)) found.sort();
  return ids;
}

/**
 * Like `hostBlockingIds`, from the recorded outcomes and the initial ones of all other rules. They are kept with the
 * recorded outcomes, because most reactions to a host find the same outcomes as the reaction before.
 */
export const recordedBlockingIds = keptByObject(
  (recorded: Outcomes, ignored: IgnoredRules, isBoundHost: boolean): HostBlockingIds =>
    hostBlockingIds(completeHostOutcomes(recorded, isBoundHost), ignored, isBoundHost),
);

function inventoryCondition(facts: HostFacts): 'none' | 'usable' | 'truncated' {
  if (!facts.hardware) return 'none';
  return facts.hardware.truncation === 'full' ? 'truncated' : 'usable';
}

const stepCondition = (passes: boolean, isSettled: boolean): 'ok' | 'unknown' | 'failed' =>
  passes ? (isSettled ? 'ok' : 'unknown') : 'failed';

/** The disk was tested, or needs no test because its partitions are kept or the system runs from it. */
function isDiskSpeedSettled(facts: HostFacts): boolean {
  return (
    installationDiskTest(facts) !== undefined ||
    hardwareOf(facts).bootDeviceType === 'persistent' ||
    facts.installerArgs.some((argument) => SAVE_PARTITION_ARGUMENTS.some((save) => argument.startsWith(save)))
  );
}

/** Images were pulled. The rule determines whether that was successful. */
const areImagesSettled = ({ images }: HostFacts): boolean => images.length > 0;
