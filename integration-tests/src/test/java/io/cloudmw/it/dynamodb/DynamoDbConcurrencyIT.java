package io.cloudmw.it.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.catalog.Commit;
import io.cloudmw.core.catalog.DirectoryEntry;
import io.cloudmw.core.catalog.RetiredVersion;
import io.cloudmw.core.catalog.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Rename;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.testing.catalog.Versions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several coordinators' catalogs on one table at once, and one beside a model. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbConcurrencyIT {
    private static final VolumeName VOLUME = new VolumeName("v");
    private static final List<String> PATHS =
            List.of("/a", "/a/b", "/a/c", "/a/b/c", "/d", "/d/b", "/d/b/c", "/d/e/f", "/b/c", "/b");

    private final DynamoDbLocal dynamoDb;

    DynamoDbConcurrencyIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    private static <C extends Catalog> C withAVolume(C catalog) throws CloudMwException {
        StoreId store = new StoreId("s1");
        catalog.putStore(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")));
        catalog.createVolume(new Volume(VOLUME, new Chunking.ByCount(3), 1, List.of(store), 1, Mode.ROUNDS, false, 42));
        return catalog;
    }

    /** What one random operation did, as far as two catalogs can be compared. */
    private static String operate(Catalog catalog, Operation operation) {
        try {
            return operation.on(catalog);
        } catch (CloudMwException e) {
            return e.code().name();
        }
    }

    @FunctionalInterface
    private interface Operation {
        String on(Catalog catalog) throws CloudMwException;
    }

    private static Operation random(SplittableRandom random, Set<VersionId> committed) {
        FilePath path = new FilePath(VOLUME, PATHS.get(random.nextInt(PATHS.size())));
        FilePath other = new FilePath(VOLUME, PATHS.get(random.nextInt(PATHS.size())));
        return switch (random.nextInt(5)) {
            case 0, 1 -> {
                FileVersion version = Versions.of(path.toString(), 0);
                yield catalog -> {
                    Optional<VersionId> before = catalog.current(path).map(FileVersion::id);
                    catalog.commit(new Commit(version, before, List.of()));
                    committed.add(version.id());
                    return "put";
                };
            }
            case 2 -> catalog -> catalog.remove(path, 1).id().toString();
            default -> {
                Rename rename = new Rename(path, other, random.nextBoolean());
                yield catalog -> catalog.rename(rename, 1).name();
            }
        };
    }

    /** All files by path, and that no directory is empty. */
    private static List<String> tree(Catalog catalog, String directory) throws CloudMwException {
        List<String> files = new ArrayList<>();
        Page<DirectoryEntry> page = catalog.list(VOLUME, directory.isEmpty() ? "/" : directory, "", 1000);
        assertThat(page.isLast()).isTrue();
        assertThat(page.items()).as(directory).hasSizeGreaterThanOrEqualTo(directory.isEmpty() ? 0 : 1);
        for (DirectoryEntry entry : page.items()) {
            String path = directory + "/" + entry.name();
            if (entry.isDirectory()) {
                files.addAll(tree(catalog, path));
            } else {
                files.add(path + " " + entry.version().orElseThrow().id());
            }
        }
        return files;
    }

    private static List<VersionId> retired(Catalog catalog) throws CloudMwException {
        List<VersionId> retired = new ArrayList<>();
        String token = "";
        do {
            Page<RetiredVersion> page = catalog.retired(token, 100);
            page.items().forEach(version -> retired.add(version.id()));
            token = page.nextToken();
        } while (!token.isEmpty());
        return retired;
    }

    @Test
    void itDoesWhatTheModelDoes() throws Exception {
        SplittableRandom random = new SplittableRandom(4);
        try (Catalog model = withAVolume(new InMemoryCatalog());
                Catalog catalog = withAVolume(dynamoDb.open(DynamoDbLocal.newTable()))) {
            for (int i = 0; i < 400; i++) {
                Operation operation = random(random, ConcurrentHashMap.newKeySet());
                assertThat(operate(catalog, operation)).as("operation %d", i).isEqualTo(operate(model, operation));
                if (i % 20 == 0) {
                    assertThat(tree(catalog, "")).as("after %d", i).isEqualTo(tree(model, ""));
                }
            }
            assertThat(tree(catalog, "")).isEqualTo(tree(model, ""));
            assertThat(retired(catalog)).isEqualTo(retired(model));
        }
    }

    /** Every version that was committed is at one path or retired once, and directories went with their last files. */
    @Test
    void ofWhatSeveralCoordinatorsDoAtOnceNothingIsLost() throws Exception {
        String table = DynamoDbLocal.newTable();
        Set<VersionId> committed = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (Catalog first = withAVolume(dynamoDb.open(table));
                Catalog second = dynamoDb.open(table);
                Catalog third = dynamoDb.open(table)) {
            List<Catalog> catalogs = List.of(first, second, third);
            List<Callable<Integer>> workers = new ArrayList<>();
            for (int worker = 0; worker < 6; worker++) {
                Catalog catalog = catalogs.get(worker % 3);
                SplittableRandom random = new SplittableRandom(worker);
                workers.add(() -> {
                    int done = 0;
                    for (int i = 0; i < 60; i++) {
                        String outcome = operate(catalog, random(random, committed));
                        assertThat(outcome)
                                .isNotIn(
                                        ErrorCode.INTERNAL.name(),
                                        ErrorCode.VOLUME_NOT_FOUND.name(),
                                        ErrorCode.COORDINATOR_UNAVAILABLE.name());
                        done++;
                    }
                    return done;
                });
            }
            for (Future<Integer> worker : threads.invokeAll(workers)) {
                assertThat(worker.get()).isEqualTo(60);
            }
            List<String> there = new ArrayList<>(tree(second, "").stream()
                    .map(line -> line.substring(line.indexOf(' ') + 1))
                    .toList());
            retired(third).forEach(id -> there.add(id.toString()));
            assertThat(there)
                    .containsExactlyInAnyOrderElementsOf(
                            committed.stream().map(VersionId::toString).toList());
        } finally {
            threads.shutdownNow();
        }
    }
}
