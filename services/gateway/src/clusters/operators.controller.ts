import {
  ListBundlesQuery,
  MonitoredOperatorsQuery,
  OperatorReportBody,
  ShowBundleQuery,
  type Static,
  StringEnum,
  V2_MONITORED_OPERATOR,
  type V2MonitoredOperator,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { featureLevel, featureOfOperator, FEATURES, type SupportQuery } from '@muster/feature-support';
import {
  type Bundle,
  BUNDLE_IDS,
  bundleNamed,
  bundlesOf,
  OPERATOR_NAMES,
  operatorNamed,
  type OperatorProperty,
} from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { Body, Controller, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers, AnswersNothing } from '../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../auth/caller';
import { Context } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { toSupportQuery } from '../catalogue/support-levels.controller';
import { IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';

/** `bundle` of the v2 API. */
export const V2_BUNDLE = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    operators: Type.Array(Type.String()),
    optional_operators: Type.Array(Type.String()),
  },
  { title: 'bundle' },
);
export type V2Bundle = Static<typeof V2_BUNDLE>;

/** Id of the feature for clusters of a single node. */
export const SINGLE_NODE_FEATURE = 'SNO';

export const toV2Bundle = ({ id, title, description, operators, optionalOperators }: Bundle): V2Bundle => ({
  id,
  title,
  description,
  operators,
  optional_operators: optionalOperators,
});

/**
 * Returns the bundle without its optional operators that are not supported there; undefined when a required one is not
 * supported.
 */
export function availableBundle(bundle: Bundle, place: SupportQuery): Bundle | undefined {
  if (!bundle.operators.every((name) => isAvailable(name, place))) return undefined;
  return { ...bundle, optionalOperators: bundle.optionalOperators.filter((name) => isAvailable(name, place)) };
}

function isAvailable(operator: string, place: SupportQuery): boolean {
  const id = featureOfOperator(operator);
  const feature = FEATURES.find((known) => known.id === id);
  if (!feature) return true;
  const { level } = featureLevel(feature, place);
  return level !== 'unavailable' && level !== 'unsupported';
}

/** `operator-property` of the v2 API. */
const V2_OPERATOR_PROPERTY = Type.Object(
  {
    name: Type.String(),
    data_type: StringEnum<OperatorProperty['dataType']>(['boolean', 'string', 'integer', 'float']),
    mandatory: Type.Boolean(),
    options: Type.Array(Type.String()),
    description: Type.String(),
    default_value: Type.String(),
  },
  { title: 'operator-property' },
);

type V2OperatorProperty = Static<typeof V2_OPERATOR_PROPERTY>;

@Controller('v2')
export class OperatorsController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly commands: Commands,
  ) {}

  @Get('supported-operators')
  @Answers('List the supported operators.', Type.Array(StringEnum<string>(OPERATOR_NAMES)))
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  listSupportedOperators(): readonly string[] {
    return [...OPERATOR_NAMES].sort();
  }

  @Get('supported-operators/:operator_name')
  @Answers('List the properties of an operator.', Type.Array(V2_OPERATOR_PROPERTY))
  @Accepts('userAuth')
  showOperatorProperties(@Param('operator_name') name: string): readonly V2OperatorProperty[] {
    const operator = operatorNamed(name);
    if (!operator)
      throw new RefusalError({
        code: 'not-found',
        reason: `Operator "${name}" is not supported.`,
        subject: 'operator_name',
        allowed: OPERATOR_NAMES,
      });
    return operator.properties.map(({ dataType, defaultValue, ...property }) => ({
      ...property,
      data_type: dataType,
      default_value: defaultValue,
    }));
  }

  /** Without a version, all bundles are listed. */
  @Get('operators/bundles')
  @Answers('List the operator bundles.', Type.Array(V2_BUNDLE))
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  listBundles(@Query() query: ListBundlesQuery): readonly V2Bundle[] {
    const bundles = bundlesOf({ isSingleNode: query.feature_ids?.includes(SINGLE_NODE_FEATURE) ?? false });
    const { openshift_version: version } = query;
    if (version === undefined) return bundles.map(toV2Bundle);
    const place = toSupportQuery({ ...query, openshift_version: version });
    return bundles.flatMap((bundle) => availableBundle(bundle, place) ?? []).map(toV2Bundle);
  }

  @Get('operators/bundles/:id')
  @Answers('Show an operator bundle.', V2_BUNDLE)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  showBundle(@Param('id') id: string, @Query() query: ShowBundleQuery): V2Bundle {
    const isSingleNode = query.feature_ids?.includes(SINGLE_NODE_FEATURE) ?? false;
    const bundle = bundleNamed(id, { isSingleNode });
    if (!bundle)
      throw new RefusalError({
        code: 'not-found',
        reason: `Bundle "${id}" does not exist.`,
        subject: 'id',
        allowed: BUNDLE_IDS,
      });
    return toV2Bundle(bundle);
  }

  @Get('clusters/:cluster_id/monitored-operators')
  @Answers('List the operators that the installation of a cluster waits for.', Type.Array(V2_MONITORED_OPERATOR))
  @Accepts('agentAuth')
  async listMonitoredOperators(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { operator_name: wanted }: MonitoredOperatorsQuery,
  ): Promise<readonly V2MonitoredOperator[]> {
    const { monitored_operators: operators } = await this.clusters.document(clusterId);
    if (!wanted) return operators;
    const found = operators.filter(({ name }) => name === wanted);
    if (found.length === 0)
      throw new RefusalError({
        code: 'not-found',
        reason: `The cluster does not monitor an operator "${wanted}".`,
        subject: 'operator_name',
        allowed: operators.map(({ name }) => name),
      });
    return found;
  }

  @Put('clusters/:cluster_id/monitored-operators')
  @HttpCode(200)
  @AnswersNothing('Report the status of an operator.')
  @Accepts('agentAuth')
  async reportOperatorStatus(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() body: OperatorReportBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    const { name, status = '', status_info: statusInfo = '', version = '' } = body;
    const input = { clusterId, name, status, statusInfo, version };
    await this.commands.send(RegistrationService.method.reportOperatorStatus, input, context);
  }
}
