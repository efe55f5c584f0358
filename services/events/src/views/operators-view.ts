import { type ClusterDocument, UNSET_TIME, type V2MonitoredOperator } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { onlyPresent } from '@muster/schema';
import { orAbsent } from './view-rows';

type Monitored = EventData<'ClusterRegistered'>['monitoredOperators'];
type Choices = NonNullable<NonNullable<EventData<'ClusterRegistered'>['settings']>['olmOperators']>['items'];

/**
 * Returns the monitored operators in the given order. An operator that stays keeps its status, and keeps its properties
 * when no others are given.
 */
export function presentedOperators(
  operators: Monitored,
  clusterId: string,
  choices: Choices | undefined,
  before: ClusterDocument['monitored_operators'] = [],
): readonly V2MonitoredOperator[] {
  return operators.map((operator) => {
    const known = before.find(({ name }) => name === operator.name);
    const chosen = choices?.find(({ name }) => name === operator.name)?.properties;
    const optional = {
      bundles: operator.bundles.length > 0 ? operator.bundles : undefined,
      source_bundles: operator.sourceBundles.length > 0 ? operator.sourceBundles : undefined,
      version: orAbsent(operator.version) ?? known?.version,
      namespace: orAbsent(operator.namespace),
      subscription_name: orAbsent(operator.subscriptionName),
      properties: choices ? orAbsent(chosen ?? '') : known?.properties,
      status: orAbsent(operator.status) ?? known?.status,
      status_info: orAbsent(operator.statusInfo) ?? known?.status_info,
    };
    return {
      cluster_id: clusterId,
      name: operator.name,
      operator_type: operator.operatorType,
      timeout_seconds: operator.timeoutSeconds,
      status_updated_at: known?.status_updated_at ?? UNSET_TIME,
      ...onlyPresent(optional),
    };
  });
}

/** Returns the list after the report of one operator. A report about an operator that is not monitored is ignored. */
export function reportedOperator(
  operators: ClusterDocument['monitored_operators'],
  report: EventData<'OperatorStatusReported'>,
  at: string,
): readonly V2MonitoredOperator[] {
  return operators.map((operator) =>
    operator.name === report.name
      ? {
          ...operator,
          status: report.status,
          status_info: report.statusInfo,
          status_updated_at: at,
          ...(report.version ? { version: report.version } : {}),
        }
      : operator,
  );
}

/** Returns the operators as before their first report. */
export function unreportedOperators(operators: ClusterDocument['monitored_operators']): readonly V2MonitoredOperator[] {
  return operators.map(({ status: _status, status_info: _info, version: _version, ...operator }) => ({
    ...operator,
    status_updated_at: UNSET_TIME,
  }));
}
