/**
 * A source (1), two codes beside each other (1 Trust, 2 Doubt) with codings of three coders in all three tables, of whom Bo is hidden;
 * sub-codes below Trust (3 Deep trust, and 4 Blind trust below it); categories, and a graph.
 */
export const codebookRows = `BEGIN;
  INSERT INTO source (id, name, fulltext, memo, owner, date) VALUES
    (1, 'a.txt', 'We trust them, and we doubt them.', 'about a', 'ada', '2026-01-01 10:00:00'),
    (2, 'b.txt', 'No doubt here.', '', 'ada', '2026-01-01 10:00:00');
  INSERT INTO coder_names (name, visibility) VALUES ('ada', 1), ('bo', 0);
  INSERT INTO code_cat (catid, name, memo, owner, date, supercatid) VALUES
    (1, 'Feelings', 'open' || char(10) || '#####secret', 'ada', '2026-01-01 10:00:00', NULL),
    (2, 'Good ones', '', 'ada', '2026-01-01 10:00:00', 1);
  INSERT INTO code_name (cid, name, memo, catid, owner, date, color, supercid) VALUES
    (1, 'Trust', 'what we believe' || char(10) || '#####private of trust', 2, 'ada', '2026-01-02 10:00:00', '#F7D358', NULL),
    (2, 'Doubt', 'what we do not#####private of doubt', NULL, 'bo', '2026-01-03 10:00:00', '#FAAC58', NULL),
    (3, 'Deep trust', '', NULL, 'ada', '2026-01-03 10:00:00', '#FA8258', 1),
    (4, 'Blind trust', '', 1, 'ada', '2026-01-03 10:00:00', '#F78181', 3);
  INSERT INTO code_text (ctid, cid, fid, seltext, pos0, pos1, owner, memo, date, important, avid) VALUES
    (1, 1, 1, 'trust', 3, 8, 'ada', 'kept memo', '', NULL, NULL),
    (2, 2, 1, 'trust', 3, 8, 'ada', 'other memo#####hers', '', 1, NULL),
    (3, 2, 1, 'doubt', 22, 27, 'ada', '', '', NULL, 2),
    (4, 2, 2, 'doubt', 3, 8, 'bo', '', '', NULL, NULL),
    (5, 1, 2, 'doubt', 3, 8, 'ada', '', '', NULL, NULL),
    (6, 3, 1, 'We', 0, 2, 'ada', '', '', NULL, NULL);
  INSERT INTO code_image (imid, id, x1, y1, width, height, cid, owner, memo, pdf_page) VALUES
    (1, 1, 0, 0, 5, 5, 1, 'ada', 'picture', 1), (2, 1, 0, 0, 5, 5, 2, 'ada', 'same picture', 1), (3, 1, 0, 0, 5, 5, 2, 'ada', '', 2);
  INSERT INTO code_av (avid, id, pos0, pos1, cid, owner, memo) VALUES (1, 1, 0, 900, 1, 'ada', ''), (2, 1, 0, 900, 2, 'ada', '');
  INSERT INTO cases (caseid, name, memo, owner, date) VALUES (1, 'Ada', 'a case', 'ada', '2026-01-01 10:00:00');
  INSERT INTO graph (grid, name) VALUES (1, 'Map');
  INSERT INTO gr_cdct_text_item (gtextid, grid, cid, catid) VALUES (1, 1, 1, NULL), (2, 1, 2, NULL), (3, 1, NULL, 2);
  INSERT INTO gr_cdct_line_item (glineid, grid, fromcid, tocid, tocatid) VALUES (1, 1, 2, 1, NULL), (2, 1, 3, 2, NULL), (3, 1, 1, NULL, 2);
  INSERT INTO gr_free_line_item (gflineid, grid, fromcid, tocid, tofreetextid) VALUES (1, 1, 2, NULL, 1), (2, 1, NULL, 2, NULL), (3, 1, 1, NULL, 1);
  UPDATE project SET recently_used_codes = '2 1 12 3', memo = 'the study' || char(10) || '#####mine';
  COMMIT`
