package io.cloudmw.coordinator.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptStatementsTest {
    private static final String READ = "SELECT v FROM t WHERE k = ?";

    @TempDir
    Path directory;

    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        connection = KeptStatements.over(SqliteDatabase.connect(directory.resolve("a.db"), false));
        Sql.update(connection, "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL)");
        Sql.update(connection, "INSERT INTO t VALUES (1, 'a'), (2, 'b')");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static String read(PreparedStatement statement, int key) throws SQLException {
        statement.setObject(1, key);
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    @Test
    void closedStatementIsUsedAgain() throws Exception {
        PreparedStatement first = connection.prepareStatement(READ);
        assertThat(read(first, 1)).isEqualTo("a");
        first.close();
        PreparedStatement second = connection.prepareStatement(READ);
        assertThat(second).isSameAs(first);
        assertThat(read(second, 2)).isEqualTo("b");
    }

    @Test
    void statementInUseIsNotGivenAgain() throws Exception {
        try (PreparedStatement first = connection.prepareStatement(READ);
                PreparedStatement second = connection.prepareStatement(READ)) {
            assertThat(second).isNotSameAs(first);
            assertThat(read(first, 1) + read(second, 2)).isEqualTo("ab");
        }
        try (PreparedStatement again = connection.prepareStatement(READ)) {
            assertThat(read(again, 2)).isEqualTo("b");
        }
    }

    @Test
    void argumentsOfTheLastUseAreForgotten() throws Exception {
        try (PreparedStatement first = connection.prepareStatement(READ)) {
            assertThat(read(first, 1)).isEqualTo("a");
        }
        try (PreparedStatement second = connection.prepareStatement(READ);
                ResultSet rows = second.executeQuery()) {
            assertThat(rows.next()).as("no row has the key NULL").isFalse();
        }
    }

    @Test
    void failedStatementIsPreparedAnew() throws Exception {
        String insert = "INSERT INTO t VALUES (?, ?)";
        PreparedStatement failed = connection.prepareStatement(insert);
        failed.setObject(1, 1);
        failed.setObject(2, "again");
        assertThatThrownBy(failed::executeUpdate).isInstanceOf(SQLException.class);
        failed.close();
        PreparedStatement next = connection.prepareStatement(insert);
        assertThat(next).isNotSameAs(failed);
        next.setObject(1, 3);
        next.setObject(2, "c");
        assertThat(next.executeUpdate()).isOne();
        next.close();
    }

    @Test
    void keptStatementSeesChangesOfTheSchemaAndRollbacks() throws Exception {
        String count = "SELECT count(*) FROM t";
        assertThat(Sql.first(connection, row -> row.getInt(1), count)).contains(2);
        Sql.update(connection, "ALTER TABLE t ADD COLUMN w TEXT");
        connection.setAutoCommit(false);
        Sql.update(connection, "INSERT INTO t (k, v) VALUES (?, ?)", 3, "c");
        assertThat(Sql.first(connection, row -> row.getInt(1), count)).contains(3);
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(Sql.first(connection, row -> row.getInt(1), count)).contains(2);
    }

    @Test
    void noMoreThanTheMostAreKept() throws Exception {
        for (int i = 0; i < 2 * KeptStatements.MOST; i++) {
            assertThat(Sql.first(
                            connection,
                            row -> row.getString(1),
                            "SELECT v FROM t WHERE k = " + i % 3 + " OR " + i + " < 0"))
                    .isEqualTo(Sql.first(connection, row -> row.getString(1), READ, i % 3));
        }
    }
}
