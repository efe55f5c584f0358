import { HOST_ROLES } from '@muster/domain';
import { Choice, documented, Field, Part, Parts, Text, Uuid, Whole } from './field.decorators';
import { ClusterFields } from './cluster.request';
import {
  CLUSTER_CPU_ARCHITECTURES,
  CLUSTER_NAME_MAX_CHARACTERS,
  DOCUMENT_MAX_CHARACTERS,
  HIGH_AVAILABILITY_MODES,
} from './wire-values';

/** As an agent sends it, JSON text, or the same as an object. */
const report = documented(
  (value) =>
    typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value))
      ? undefined
      : 'must be an object or its JSON text',
  () => ({ description: 'An object, or its JSON text.' }),
);

/** What a host would answer to one step. */
export class PreflightReportRequest {
  @Text({ required: true, minLength: 1 }) readonly step_type!: string;
  @Field('report', report, { required: true }) readonly output!: object | string;
  @Whole() readonly exit_code?: number;
}

export class PreflightHostRequest {
  /** What other hosts' reports call it; made up where it is left out. */
  @Uuid() readonly host_id?: string;
  @Choice(HOST_ROLES, { fallback: 'auto-assign' }) readonly role?: string;
  @Text() readonly requested_hostname?: string;
  @Text() readonly installation_disk_id?: string;
  @Field('report', report) readonly inventory?: object | string;
  @Parts(PreflightReportRequest) readonly reports?: readonly PreflightReportRequest[];
}

/** A cluster as it would be made; a pull secret that is left out is taken for given. */
export class PreflightClusterRequest extends ClusterFields {
  @Text({ minLength: 1, maxLength: CLUSTER_NAME_MAX_CHARACTERS }) readonly name?: string;
  @Text({ required: true }) readonly openshift_version!: string;
  @Choice(HIGH_AVAILABILITY_MODES, { fallback: 'Full' }) readonly high_availability_mode?: string;
  @Text() readonly ocp_release_image?: string;
  @Text({ maxLength: DOCUMENT_MAX_CHARACTERS }) readonly pull_secret?: string;
  @Choice(CLUSTER_CPU_ARCHITECTURES, { fallback: 'x86_64' }) readonly cpu_architecture?: string;
}

/** Not of the contract: what would be found of a cluster and its hosts. */
export class PreflightBody {
  @Part(PreflightClusterRequest, { required: true }) readonly cluster!: PreflightClusterRequest;
  @Parts(PreflightHostRequest) readonly hosts?: readonly PreflightHostRequest[];
}
