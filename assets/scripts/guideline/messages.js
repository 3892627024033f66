// Messages of the guideline, on the Settings page and beside the text.

import { mark } from "../page/messages.js";

export const MESSAGES = {
  "guideline.title": mark("Guideline"),
  "guideline.text": mark("Text in Markdown"),
  "guideline.hint": mark("# Heading, **bold**, *italic*, - list, 1. list, > quote, | table |, [link](address). HTML is shown as text, and images as their description."),
  "guideline.placeholder": mark("What is an entity in this project, what is not, and how to decide the hard cases"),
  "guideline.preview": mark("Preview"),
  "guideline.save": mark("Save the guideline"),
  "guideline.saved": mark("Saved."),
  "guideline.unsaved": mark("Not saved yet."),
  "guideline.empty": mark("No guideline has been written yet."),
  "guideline.write": mark("Write it in Settings"),
  "guideline.edit": mark("Edit in Settings"),
  "guideline.labels": mark("Labels"),
  "guideline.no_description": mark("No guideline for this label yet."),
  "guideline.changed": mark("Changed by {user}, {time}"),
  "guideline.history": mark("Earlier versions"),
  "guideline.version": mark("{time} · {user}"),
  "guideline.restore": mark("Edit this version"),
  "guideline.restored": mark("The version of {time}. Save to restore it."),
  "guideline.current": mark("current"),
  "guideline.close": mark("Close the guideline"),
  "guideline.unreachable": mark("The app does not respond. Check that it is still running."),
};
