package io.cloudmw.it.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.coordinator.testing.memory.InMemoryCatalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of concurrent catalogs on one table, as of several coordinators, and of one catalog against a model. */
@ExtendWith(DynamoDbExtension.class)
final class DynamoDbConcurrencyIT {
    private final DynamoDbLocal dynamoDb;

    DynamoDbConcurrencyIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
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
    void catalogAgreesWithTheModel() throws Exception {
        SplittableRandom random = new SplittableRandom(4);
        try (Catalog model = Operation.withAVolume(new InMemoryCatalog());
                Catalog catalog = Operation.withAVolume(dynamoDb.open(DynamoDbLocal.newTable()))) {
            for (int i = 0; i < 400; i++) {
                Operation operation = Operation.random(random, ConcurrentHashMap.newKeySet());
                assertThat(operation.outcome(catalog)).as("operation %d", i).isEqualTo(operation.outcome(model));
                if (i % 20 == 0) {
                    assertThat(Operation.tree(catalog, "")).as("after %d", i).isEqualTo(Operation.tree(model, ""));
                }
            }
            assertThat(Operation.tree(catalog, "")).isEqualTo(Operation.tree(model, ""));
            assertThat(retired(catalog)).isEqualTo(retired(model));
        }
    }

    /** Every committed version is at one path or retired once, and each directory vanished with its last file. */
    @Test
    void concurrentCoordinatorsLoseNoOperation() throws Exception {
        String table = DynamoDbLocal.newTable();
        Set<VersionId> committed = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (Catalog first = Operation.withAVolume(dynamoDb.open(table));
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
                        String outcome = Operation.random(random, committed).outcome(catalog);
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
            List<String> there = new ArrayList<>(Operation.tree(second, "").stream()
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
