package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.it.dynamodb.DynamoDbExtension;
import io.cloudmw.it.dynamodb.DynamoDbLocal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Test of a short {@code cloudmw torture} run with three coordinators that share a table of Amazon's DynamoDB engine.
 */
@ExtendWith(DynamoDbExtension.class)
final class SharedCatalogTortureIT {
    private final DynamoDbLocal dynamoDb;

    SharedCatalogTortureIT(DynamoDbLocal dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    @Test
    @Tag("full")
    void nothingIsLostWhileOneOfThreeCoordinatorsIsGone() throws IOException {
        CommandLine.Result result = new CommandLine("127.0.0.1:1")
                .with(Map.of(
                        "AWS_ACCESS_KEY_ID", "test", "AWS_SECRET_ACCESS_KEY", "test", "CLOUDMW_TLS_INSECURE", "false"))
                .run(
                        "torture",
                        "--minutes",
                        "0.7",
                        "--seed",
                        "3",
                        "--catalog",
                        "dynamodb:" + DynamoDbLocal.newTable(),
                        "--catalog-endpoint",
                        dynamoDb.endpoint().toString(),
                        "--catalog-region",
                        "eu-west-1",
                        "--json");

        assertThat(result.exitCode()).as(result.toString()).isZero();
        JsonNode report = result.json();
        assertThat(report.path("coordinators").asInt()).isEqualTo(3);
        assertThat(report.path("operations").asLong()).isPositive();
        assertThat(report.path("faults").asLong()).isPositive();
        for (String found :
                List.of("lost_acknowledged_writes", "wrong_bytes", "avoidable_read_failures", "unexplained_answers")) {
            assertThat(report.path(found).isInt()).as(found).isTrue();
            assertThat(report.path(found).asInt()).as(found).isZero();
        }
        for (String rotated : List.of("authority_replaced", "secret_rotated", "token_keys", "certificates")) {
            assertThat(report.path("rotations").path(rotated).asInt())
                    .as(rotated)
                    .isPositive();
        }
        assertThat(report.path("under_replicated_chunks").asInt()).isZero();
    }
}
