package io.cloudmw.client.progress;

import io.cloudmw.core.model.VolumeName;

/**
 * What a put is expected to ask of stores, before it. How long it takes is not predicted: only reads are measured.
 *
 * @param copies of each chunk
 * @param cost if every store takes its copies; over more stores than there are copies they spread evenly
 */
public record PutEstimate(VolumeName volume, long sizeBytes, long chunks, int copies, TransferCost cost) {}
