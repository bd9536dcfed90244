package io.cloudmw.helper.fetch;

import io.cloudmw.core.schedule.Tenant;
import java.util.OptionalLong;

/**
 * Who wants blocks.
 *
 * @param tenant on whose behalf
 * @param deadlineNanos when they should be there, by the pools' ticker; empty: not said
 * @param stores finds their replicas
 */
public record Requester(Tenant tenant, OptionalLong deadlineNanos, StoreResolver stores) {}
