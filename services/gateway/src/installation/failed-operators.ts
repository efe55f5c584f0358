const REPORT = 'CLUSTER_OPERATORS_REPORT';

/** Returns names and messages of the failed operators in the report of a controller. The report is untrusted and may have any shape. */
export function failedOperatorsOf(data: object | undefined): readonly string[] {
  const report = (data as { readonly [key: string]: unknown } | undefined)?.[REPORT];
  if (!Array.isArray(report)) return [];
  return report.flatMap((entry: unknown) => {
    const {
      name,
      status,
      status_info: info,
    } = (entry ?? {}) as { name?: unknown; status?: unknown; status_info?: unknown };
    if (status !== 'failed' || typeof name !== 'string') return [];
    return [typeof info === 'string' && info !== '' ? `${name} (${info})` : name];
  });
}
