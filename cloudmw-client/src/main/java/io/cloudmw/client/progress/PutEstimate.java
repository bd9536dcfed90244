package io.cloudmw.client.progress;

import io.cloudmw.core.model.VolumeName;

/**
 * An estimate of a put's requests to stores and their cost. Its time is not predicted, because only reads are measured.
 *
 * @param copies of each chunk
 * @param cost if every store takes its copies; over more stores than there are copies they spread evenly
 */
public record PutEstimate(VolumeName volume, long sizeBytes, long chunks, int copies, TransferCost cost) {}
