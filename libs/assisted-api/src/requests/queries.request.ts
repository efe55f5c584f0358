import { textValidator, uuidValidator } from './field.decorators';
import { EVENT_SEVERITIES } from '../responses/v2-event';
import { QueryChoice, QueryFlag, QueryList, QueryText, QueryUuid, QueryWhole } from './query.decorators';
import {
  CLUSTER_FILES,
  CREDENTIAL_FILES,
  DISCOVERY_IMAGE_TYPES,
  DOWNLOADED_LOGS_TYPES,
  HOST_ROLES,
  INFRA_ENV_FILES,
  IPXE_SCRIPT_TYPES,
  PRESIGNED_INFRA_ENV_FILES,
  MAC_PATTERN,
  SORT_ORDERS,
  UPLOADED_LOGS_TYPES,
} from './wire-values';

export class ListClustersQuery {
  @QueryUuid() readonly openshift_cluster_id?: string;
  @QueryList() readonly ams_subscription_ids?: readonly string[];
  @QueryFlag({ fallback: false }) readonly with_hosts?: boolean;
  @QueryText() readonly owner?: string;
}

export class ShowClusterQuery {
  @QueryFlag() readonly 'exclude-hosts'?: boolean;
}

export class ListClusterHostsQuery {
  @QueryChoice(HOST_ROLES) readonly role?: string;
  @QueryText() readonly status?: string;
  @QueryFlag() readonly 'with-inventory'?: boolean;
  @QueryFlag() readonly 'with-connectivity'?: boolean;
}

export class ListInfraEnvsQuery {
  @QueryUuid() readonly cluster_id?: string;
  @QueryText() readonly owner?: string;
}

export class ClusterFileQuery {
  @QueryChoice(CLUSTER_FILES, { required: true }) readonly file_name!: string;
}

export class CredentialFileQuery {
  @QueryChoice(CREDENTIAL_FILES, { required: true }) readonly file_name!: string;
}

export class InfraEnvFileQuery {
  @QueryChoice(INFRA_ENV_FILES, { required: true }) readonly file_name!: string;
  @QueryText(textValidator({ pattern: MAC_PATTERN })) readonly mac?: string;
  @QueryChoice(IPXE_SCRIPT_TYPES) readonly ipxe_script_type?: string;
  @QueryChoice(DISCOVERY_IMAGE_TYPES) readonly discovery_iso_type?: string;
}

export class PresignedInfraEnvFileQuery {
  @QueryChoice(PRESIGNED_INFRA_ENV_FILES, { required: true }) readonly file_name!: string;
  @QueryChoice(IPXE_SCRIPT_TYPES) readonly ipxe_script_type?: string;
}

export class UploadLogsQuery {
  @QueryChoice(UPLOADED_LOGS_TYPES, { required: true }) readonly logs_type!: 'host' | 'controller';
  @QueryUuid() readonly infra_env_id?: string;
  @QueryUuid() readonly host_id?: string;
}

export class DownloadLogsQuery {
  @QueryChoice(DOWNLOADED_LOGS_TYPES) readonly logs_type?: string;
  @QueryUuid() readonly host_id?: string;
}

export class MonitoredOperatorsQuery {
  @QueryText() readonly operator_name?: string;
}

export class NextStepsQuery {
  @QueryWhole() readonly timestamp?: number;
}

export class ListEventsQuery {
  @QueryUuid() readonly cluster_id?: string;
  /** Deprecated: one more member of host_ids. */
  @QueryUuid() readonly host_id?: string;
  @QueryList(uuidValidator) readonly host_ids?: readonly string[];
  @QueryUuid() readonly infra_env_id?: string;
  @QueryWhole() readonly limit?: number;
  @QueryWhole() readonly offset?: number;
  @QueryChoice(SORT_ORDERS, { fallback: 'ascending' }) readonly order?: 'ascending' | 'descending';
  @QueryList(textValidator({ oneOf: EVENT_SEVERITIES })) readonly severities?: readonly string[];
  @QueryText() readonly message?: string;
  @QueryFlag() readonly deleted_hosts?: boolean;
  @QueryFlag() readonly cluster_level?: boolean;
  @QueryList() readonly categories?: readonly string[];
}

export class OpenshiftVersionsQuery {
  @QueryText() readonly version?: string;
  @QueryFlag() readonly only_latest?: boolean;
}
