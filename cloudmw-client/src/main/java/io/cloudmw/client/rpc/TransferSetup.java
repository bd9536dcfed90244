package io.cloudmw.client.rpc;

import io.cloudmw.core.placement.ReadPlan;

/**
 * What every helper of one get is told at its beginning.
 *
 * @param id 32 hexadecimal digits
 */
public record TransferSetup(String id, ReadPlan plan) {}
