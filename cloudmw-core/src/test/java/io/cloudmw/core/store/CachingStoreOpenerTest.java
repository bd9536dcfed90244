package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.fleet.StoreIdentity;
import io.cloudmw.core.store.disk.DirectStoreOpener;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.core.store.disk.FreeSpace;
import io.cloudmw.core.testing.store.Chunks;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CachingStoreOpenerTest {
    private static final StoreId ID = new StoreId("d");

    @TempDir
    Path directory;

    private final StoreOpener noBuckets = store -> {
        throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "no buckets here");
    };
    private final CachingStoreOpener opener = new CachingStoreOpener(DirectStoreOpener.owning(noBuckets, 0));

    @Test
    void storeIsOpenedOnceDespiteANewFailureDomain() throws Exception {
        ChunkStore first = opener.open(disk("zone-a", "1"));

        assertThat(opener.open(disk("zone-b", "1"))).isSameAs(first);
        opener.close();
    }

    @Test
    void aStoreThatMovedIsOpenedAnewAndTheOldOneClosed() throws Exception {
        ChunkStore first = opener.open(disk("z", "1"));
        ChunkStore moved = opener.open(disk("z", "2"));

        assertThat(moved).isNotSameAs(first);
        assertThat(code(() -> first.length(Chunks.id()))).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(moved.length(Chunks.id())).isEmpty();
        opener.close();
    }

    @Test
    void aStoreThatWasReplacedIsOpenedAnewAndNotAsItWasBefore() throws Exception {
        StoreIdentity identity = StoreIdentity.random("c1");
        ChunkStore first = opener.open(disk("z", "1").with(identity));
        Store replaced = disk("z", "1").with(StoreIdentity.random("c1").replacedAt(7));
        ChunkStore anew = opener.open(replaced);

        assertThat(anew).isNotSameAs(first);
        assertThat(opener.open(disk("z", "1").with(identity)))
                .as("by a plan of before")
                .isSameAs(anew);
        opener.close();
    }

    @Test
    void aStoreThatGetsAnIdentityIsOpenedAnew() throws Exception {
        ChunkStore first = opener.open(disk("z", "1"));
        Store identified = disk("z", "1").with(StoreIdentity.random("c1"));
        ChunkStore anew = opener.open(identified);

        assertThat(anew).isNotSameAs(first);
        assertThat(opener.open(disk("z", "1"))).as("by a plan of before").isSameAs(anew);
        opener.close();
    }

    @Test
    void closingClosesEveryStoreAndOpensNoMore() throws Exception {
        ChunkStore store = opener.open(disk("z", "1"));
        opener.close();

        assertThat(code(() -> store.length(Chunks.id()))).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(code(() -> opener.open(disk("z", "1")))).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aFailureToOpenIsNotRemembered() throws Exception {
        try (DiskChunkStore holder = DiskChunkStore.open(ID, directory.resolve("1"), 0, FreeSpace.system())) {
            assertThat(code(() -> opener.open(disk("z", "1")))).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
            assertThat(holder.length(Chunks.id())).isEmpty();
        }
        assertThat(opener.open(disk("z", "1")).length(Chunks.id())).isEmpty();
        opener.close();
    }

    @Test
    void othersMayReadADiskWhileItsOwnerHasItOpen() throws Exception {
        opener.open(disk("z", "1"));
        try (CachingStoreOpener reading = new CachingStoreOpener(DirectStoreOpener.reading(noBuckets))) {
            ChunkStore read = reading.open(disk("z", "1"));
            assertThat(code(() -> read.delete(Chunks.id()))).isEqualTo(ErrorCode.STORE_DENIED);
        }
        opener.close();
    }

    @Test
    void bucketsGoToTheOpenerOfBuckets() {
        Store bucket = new Store(new StoreId("b"), "z", new Store.S3("bucket", "us-east-1", "", false, ""));

        assertThat(code(() -> opener.open(bucket))).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    private Store disk(String domain, String name) {
        return new Store(ID, domain, new Store.Disk(new HelperId("h"), directory.resolve(name)));
    }

    private static ErrorCode code(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(CloudMwException.class, call).code();
    }
}
