// SPDX-License-Identifier: MIT
// A small storage as Optuna 5 makes it, without the tables we do not read: the study "tuning" with
// one trial completed, one failed, one pruned and one that ended at infinity.
#pragma once

namespace vbo::testing {

inline constexpr const char* kOptunaTables = R"sql(
CREATE TABLE studies (study_id INTEGER NOT NULL, study_name VARCHAR(512) NOT NULL,
  PRIMARY KEY (study_id));
CREATE TABLE study_directions (study_direction_id INTEGER NOT NULL, direction VARCHAR(8) NOT NULL,
  study_id INTEGER NOT NULL, objective INTEGER NOT NULL, PRIMARY KEY (study_direction_id),
  UNIQUE (study_id, objective));
CREATE TABLE trials (trial_id INTEGER NOT NULL, number INTEGER, study_id INTEGER,
  state VARCHAR(8) NOT NULL, datetime_start DATETIME, datetime_complete DATETIME,
  PRIMARY KEY (trial_id));
CREATE TABLE trial_params (param_id INTEGER NOT NULL, trial_id INTEGER, param_name VARCHAR(512),
  param_value FLOAT, distribution_json TEXT, PRIMARY KEY (param_id),
  UNIQUE (trial_id, param_name));
CREATE TABLE trial_values (trial_value_id INTEGER NOT NULL, trial_id INTEGER NOT NULL,
  objective INTEGER NOT NULL, value FLOAT, value_type VARCHAR(7) NOT NULL,
  PRIMARY KEY (trial_value_id), UNIQUE (trial_id, objective));
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE INDEX ix_trials_study_id ON trials (study_id);
INSERT INTO studies VALUES (1, 'tuning');
INSERT INTO study_directions VALUES (1, 'MINIMIZE', 1, 0);
INSERT INTO trials VALUES
  (1, 0, 1, 'COMPLETE', '2026-01-02 01:49:33.541686', '2026-01-02 01:49:33.846886'),
  (2, 1, 1, 'FAIL', '2026-01-02 01:49:34.137293', NULL),
  (3, 2, 1, 'PRUNED', '2026-01-02 01:49:34.335737', '2026-01-02 01:49:34.477739'),
  (4, 3, 1, 'COMPLETE', '2026-01-02 01:49:34.530964', '2026-01-02 01:49:34.678245');
INSERT INTO trial_values VALUES (1, 1, 0, 75.5, 'FINITE'), (2, 4, 0, NULL, 'INF_POS');
)sql";

inline constexpr const char* kOptunaParams = R"sql(
INSERT INTO trial_params SELECT 3 * trial_id - 2, trial_id, 'x', trial_id / 4.0,
  '{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0}}' FROM trials;
INSERT INTO trial_params SELECT 3 * trial_id - 1, trial_id, 'n', 3.0 * trial_id,
  '{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 20}}' FROM trials;
INSERT INTO trial_params SELECT 3 * trial_id, trial_id, 'kind', trial_id % 2,
  '{"name": "CategoricalDistribution", "attributes": {"choices": ["plain", 3]}}' FROM trials;
)sql";

}  // namespace vbo::testing
