package io.cloudmw.client.read.ledger;

import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.read.relay.TransferCredit;
import io.cloudmw.client.read.trace.ReadTrace;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.thread.SerialExecutor;

/**
 * The objects that all parts of one read share while it follows one plan.
 *
 * @param context resources of the client
 * @param serial executor that owns the read's state
 * @param plan of the read
 * @param sink destination of the bytes
 * @param credit memory of the read
 * @param ledger counts of the read
 * @param trace observation of the read
 */
public record ReadScope(
        ClientContext context,
        SerialExecutor serial,
        ReadPlan plan,
        LeafSink sink,
        TransferCredit credit,
        ReadLedger ledger,
        ReadTrace trace) {}
