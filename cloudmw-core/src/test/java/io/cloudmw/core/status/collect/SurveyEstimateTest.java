package io.cloudmw.core.status.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests of the estimate of a store's contents, from pages of evenly spread names. */
final class SurveyEstimateTest {
    private static final StoreId FIRST = new StoreId("first");
    private static final StoreId SECOND = new StoreId("second");

    private final SurveyEstimate estimate = new SurveyEstimate();

    /** The names {@code from..to} of 256 evenly spread ones, of 10 bytes each. */
    private static Page<StoredChunk> page(int from, int to) {
        List<StoredChunk> chunks = IntStream.range(from, to)
                .mapToObj(i -> new VersionId(String.format("%02xffffff%024x", i, i)))
                .map(version -> new StoredChunk(new ChunkId(version, 0), 10))
                .toList();
        return new Page<>(
                chunks, to == 256 ? "" : chunks.get(chunks.size() - 1).id().toString());
    }

    @Test
    void anEstimateIsMadeFromTheShareOfNamesThatWasListed() {
        estimate.begin(List.of(FIRST));
        estimate.listed(FIRST, page(0, 64));
        assertThat(estimate.total()).isEqualTo(new CopyTotal(256, 2560));
        estimate.listed(FIRST, page(64, 128));
        assertThat(estimate.total()).isEqualTo(new CopyTotal(256, 2560));
    }

    @Test
    void aStoreWhoseListingHasEndedIsCountedExactly() {
        estimate.begin(List.of(FIRST));
        estimate.listed(FIRST, page(0, 10));
        estimate.listed(FIRST, page(250, 256));
        assertThat(estimate.total()).isEqualTo(new CopyTotal(16, 160));
    }

    @Test
    void nothingIsEstimatedBeforeEachStoreHasShownAPage() {
        estimate.begin(List.of(FIRST, SECOND));
        estimate.listed(FIRST, page(0, 64));
        assertThat(estimate.total()).isEqualTo(CopyTotal.NONE);
        estimate.ended(SECOND);
        assertThat(estimate.total()).as("it could not be listed").isEqualTo(new CopyTotal(256, 2560));
    }

    @Test
    void roundsBeginAnew() {
        estimate.begin(List.of(FIRST));
        estimate.listed(FIRST, page(0, 64));
        estimate.begin(List.of(SECOND));
        estimate.listed(SECOND, page(0, 128));
        assertThat(estimate.total()).isEqualTo(new CopyTotal(256, 2560));
    }
}
